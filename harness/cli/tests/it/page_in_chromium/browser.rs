//! A headless Chromium that shows a page, and a script beside the page that uses it as a person does and says what is to be seen.
//!
//! The first of the pages stands in a frame of a given width, which no window of a browser needs to have. The script runs in the document around it:
//! the page's own policy forbids foreign scripts. Both come from a server of this test, which notes everything that is asked for.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Names of the browser.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Ends a script that waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(240);

/// What the scripts of all tests have.
const AROUND: &str = r#"
const frame = document.querySelector("iframe");
const errors = [];
const shown = () => frame.contentDocument;
const one = (selector) => shown().querySelector(selector);
const all = (selector) => [...shown().querySelectorAll(selector)];
const until = async (what, name) => {
  const end = performance.now() + 60000;
  for (;;) {
    const value = what();
    if (value) return value;
    if (performance.now() > end) throw new Error("waited in vain for " + name);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
// Goes to a fragment of the page, as a link does.
const go = (fragment) => { frame.contentWindow.location.hash = fragment; };
const wide = () => [shown().documentElement.scrollWidth, shown().documentElement.clientWidth];
const load = () => new Promise((resolve) => {
  frame.addEventListener("load", () => {
    frame.contentWindow.addEventListener("error", (event) => errors.push(String(event.message)));
    shown().addEventListener("securitypolicyviolation", (event) => errors.push("policy: " + event.violatedDirective));
    resolve();
  }, { once: true });
  frame.src = "/FIRST";
});
const say = (value) => fetch("/said", { method: "POST", body: JSON.stringify(value) });
const main = async () => { BODY };
main().then((said) => say({ said, errors }), (why) => say({ failed: String(why), errors }));
"#;

/// The browser's program; why not, if there is none.
pub(crate) fn program() -> Result<PathBuf, String> {
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let each = folders.iter().flat_map(|folder| NAMES.map(|name| folder.join(name)));
    each.into_iter().find(|path| path.is_file()).ok_or_else(|| format!("no {} in PATH", NAMES.join(", ")))
}

/// What a script said, and what the browser asked for.
pub(crate) struct Seen {
    /// The value that the script returned.
    pub(crate) said: Value,
    /// Paths that were asked for, besides those of the test itself.
    pub(crate) asked: Vec<String>,
    /// What the browser wrote to its console.
    pub(crate) console: Vec<String>,
}

/// Ends the browser, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Pages by the names of their files; the first is the one that is shown.
pub(crate) type Pages<'p> = [(&'p str, &'p str)];

/// Shows the first of these pages in a frame of this width, runs `body` beside it, and returns what it returns. With `scripts` pages may
/// run their own.
#[track_caller]
pub(crate) fn show(pages: &Pages<'_>, width: u32, scripts: bool, body: &str) -> Seen {
    let program = program().unwrap();
    let sandbox = if scripts { "" } else { " sandbox=\"allow-same-origin\"" };
    let around = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\"><iframe width=\"{width}\" height=\"800\" style=\"border:0\"{sandbox}></iframe><script>{}</script>",
        AROUND.replace("BODY", body).replace("FIRST", pages[0].0)
    );
    let served = pages.iter().copied().chain([("around.html", around.as_str())]);
    let served = served.map(|(name, text)| (format!("/{name}"), text.to_owned())).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::channel();
    let asked = Arc::new(Mutex::new(Vec::new()));
    serve(listener, Arc::new(served), Arc::clone(&asked), sender);
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new(program);
    // Tests run as root in containers, where Chromium's sandbox does not work.
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
    ]);
    command.args([
        "--disable-background-networking",
        "--disable-component-update",
        "--enable-logging=stderr",
    ]);
    command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    command.arg(format!("http://{address}/around.html"));
    command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).unwrap());
    let running = Running(command.spawn().unwrap());
    let said = wait(&receiver);
    drop(running);
    let log = String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned();
    let said = said.unwrap_or_else(|| panic!("the browser said nothing: {log}"));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(
        said.get("failed").is_none() && said["errors"].as_array().is_some_and(Vec::is_empty),
        "{said} {log}"
    );
    let console = log.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
    let asked = asked.lock().unwrap().clone();
    Seen { said: said["said"].clone(), asked, console }
}

fn wait(receiver: &Receiver<String>) -> Option<String> {
    receiver.recv_timeout(PATIENCE).ok()
}

fn serve(
    listener: TcpListener,
    pages: Arc<BTreeMap<String, String>>,
    asked: Arc<Mutex<Vec<String>>>,
    sender: Sender<String>,
) {
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (pages, asked, sender) = (Arc::clone(&pages), Arc::clone(&asked), sender.clone());
            std::thread::spawn(move || drop(answer(stream, &pages, &asked, &sender)));
        }
    });
}

fn answer(
    mut stream: TcpStream,
    pages: &BTreeMap<String, String>,
    asked: &Mutex<Vec<String>>,
    sender: &Sender<String>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    if reader.read_line(&mut request)? == 0 {
        // Browsers open connections ahead of time, and close some without a request.
        return Ok(());
    }
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) =
            header.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().unwrap_or_else(|_| panic!("{name}"));
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let body = match path.as_str() {
        "/said" => {
            let mut said = vec![0; length];
            reader.read_exact(&mut said)?;
            let _ = sender.send(String::from_utf8_lossy(&said).into_owned());
            b""
        }
        known if pages.contains_key(known) => pages[known].as_bytes(),
        _ => {
            asked.lock().unwrap().push(path);
            b""
        }
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n", body.len())?;
    stream.write_all(body)
}
