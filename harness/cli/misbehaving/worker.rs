//! A worker that has faults on demand: the one of warpdiff, with what it is asked and answers altered on the way.

use std::io::{self, BufRead, Write};

use warpdiff_model::Semantics;
use warpdiff_worker::emulator::Emulator;
use warpdiff_worker::protocol::{self, Reply, Request};
use warpdiff_worker::serve::Server;

use crate::fault::Fault;
use crate::misconduct::Faults;

/// Reads `--inject FAULT=PATTERN`, as often as it stands there, and serves the emulator on the standard streams.
///
/// # Errors
/// What is wrong with the words, or with the streams.
pub(crate) fn main(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let mut faults = Faults::default();
    while let Some(word) = words.next() {
        let injection = words.next().filter(|_| word == "--inject");
        faults.0.push(injection.ok_or("expected `--inject FAULT=PATTERN`")?.parse()?);
    }
    match serve(&faults, io::stdin().lock(), io::stdout().lock()) {
        // Whoever asked is gone.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot go on: {error}")),
        _ => Ok(()),
    }
}

fn serve(faults: &Faults, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut server = Server::new(Emulator::new(Semantics::default()));
    for line in input.split(b'\n') {
        let line = line?;
        let fault = match serde_json::from_slice(&line) {
            Ok(Request::Launch(request)) => faults.of(&request.case),
            _ => None,
        };
        let Some(fault) = fault else {
            server.serve([line.as_slice(), b"\n"].concat().as_slice(), &mut output)?;
            continue;
        };
        fault.before();
        let mut replies = Vec::new();
        server.serve(line.as_slice(), &mut replies)?;
        for reply in replies.split(|byte| *byte == b'\n').filter(|reply| !reply.is_empty()) {
            if misreport(fault, serde_json::from_slice(reply)?, &mut output)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Says what the worker replied to a launch, with the fault; whether it was the last.
fn misreport(fault: Fault, reply: Reply, output: &mut impl Write) -> io::Result<bool> {
    let say = |output: &mut _, reply: &Reply| {
        Write::write_all(output, &protocol::line(reply)?)?;
        Write::flush(output)
    };
    match reply {
        Reply::Started { .. } if !fault.announces() => Ok(false),
        Reply::Observed(mut observed) => {
            fault.during(output)?;
            fault.alter(&mut observed);
            let last = observed.leaving;
            let reply = Reply::Observed(observed);
            (0..fault.answers()).try_for_each(|_| say(output, &reply))?;
            fault.after(output)?;
            Ok(last)
        }
        reply => say(output, &reply).map(|()| false),
    }
}
