//! dev
use warpdiff_ptx::{Dialect, Rules, compile};
fn unescape(s: &str) -> String {
    s.replace("\\n", "\n").replace("\\\\", "\\")
}
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let decl = head.contains(&"verdict");
    let (mut total, mut bad, mut unsup) = (0, 0, 0);
    let mut shown = std::collections::HashMap::<String, u32>::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let mut tries: Vec<(String, String, String, &str, String)> = vec![];
        if decl {
            tries.push((
                cells[2].into(),
                cells[3].into(),
                cells[4].into(),
                cells[6],
                cells.get(7).unwrap_or(&"").to_string(),
            ));
        } else {
            for (i, h) in head.iter().enumerate().skip(2) {
                let p: Vec<&str> = h.splitn(3, ':').collect();
                if p.len() == 3 {
                    tries.push((
                        p[0].into(),
                        p[1].into(),
                        p[2].into(),
                        cells[i],
                        cells.last().unwrap().to_string(),
                    ));
                }
            }
        }
        for (tool, version, target, verdict, messages) in tries {
            if verdict == "-" || (verdict != "A" && verdict != "R") {
                continue;
            }
            let (ma, mi) = tool.split_once('.').unwrap();
            let v: f64 = version.parse().unwrap();
            let size = if v >= 2.25 { ".address_size 64\n" } else { "" };
            let source = format!(".version {version}\n.target {target}\n{size}{}", unescape(cells[1]));
            let rules = Rules {
                dialect: Dialect::Ptxas(ma.parse().unwrap(), mi.parse().unwrap()),
                ..Rules::default()
            };
            let result = compile(&source, &rules);
            total += 1;
            let mine = result.is_ok();
            if let Err(d) = &result {
                if d.iter().all(|d| d.unsupported) {
                    unsup += 1;
                    if verdict == "A" {
                        let k = format!("UNSUP {}", d[0].message);
                        let n = shown.entry(k.clone()).or_default();
                        *n += 1;
                        if *n <= 1 {
                            println!("UNSUP {} {}", cells[0], d[0].message);
                        }
                    }
                    continue;
                }
            }
            if mine != (verdict == "A") {
                bad += 1;
                let why = match &result {
                    Err(d) => d[0].message.clone(),
                    Ok(_) => format!("accepted; {messages}"),
                };
                let n = shown.entry(why.clone()).or_default();
                *n += 1;
                if *n <= std::env::args().nth(2).map_or(2, |_| 40) {
                    println!("{} {tool} {version} {target}: {verdict} but {why}", cells[0]);
                }
            }
        }
    }
    println!("total {total} bad {bad} unsupported {unsup}");
}
