//! Writes generated programs of PTX to files, for tools that read programs: `cargo run -p warpdiff-generator --example programs -- SEED COUNT FOLDER
//! [immediate|mixed]` writes `FOLDER/0.ptx` and so on.

use std::path::Path;

use warpdiff_generator::Entrance;

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (seed, count, folder, entrance) = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [seed, count, folder] => (seed, count, folder, Entrance::Loaded),
        [seed, count, folder, "immediate"] => (seed, count, folder, Entrance::Immediate),
        [seed, count, folder, "mixed"] => (seed, count, folder, Entrance::Mixed),
        _ => return Err("expected SEED COUNT FOLDER [immediate|mixed]".into()),
    };
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("`{text}`: {error}"));
    let (seed, count) = (number(seed)?, number(count)?);
    std::fs::create_dir_all(folder).map_err(|error| format!("{folder}: {error}"))?;
    for index in 0..count {
        let specimen = warpdiff_generator::specimen(seed, index).map_err(|error| error.to_string())?;
        let path = Path::new(folder).join(format!("{index}.ptx"));
        let program = specimen.entering(entrance).write().launch.program;
        std::fs::write(&path, program.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
