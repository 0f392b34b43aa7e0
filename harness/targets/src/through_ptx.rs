//! Programs of SPA 5.0 put to a target that does not take them, as PTX that means the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::{Checked, Compiled, compile};
use warpdiff_model::{Argument, Launch, Observation};

use super::Question;
use super::layered::{Layer, Rephrased};
use crate::translation::{Translation, inexact, translate};

/// Programs that are kept translated: the launches of a variant come one after the other, and generated programs come once.
const KEPT: usize = 256;

/// Translates programs of SPA 5.0. A launch of which the translation does not mean the same is answered with `unsupported`.
#[derive(Default)]
pub struct ThroughPtx {
    known: Mutex<HashMap<Shape, Result<Arc<Translated>, String>>>,
}

/// What a translation depends on.
type Shape = (Arc<str>, String, u32, Vec<usize>);

/// A program and the PTX that stands for it.
struct Translated {
    translation: Translation,
    /// The PTX, checked and decoded.
    compiled: Arc<Compiled>,
}

impl ThroughPtx {
    fn translated(&self, launch: &Launch) -> Result<Arc<Translated>, String> {
        let sizes = launch.arguments.iter().map(|argument| match argument {
            Argument::Value(bytes) => bytes.len(),
            _ => 8,
        });
        let shape =
            (Arc::clone(&launch.program), launch.entry.clone(), launch.dynamic_shared, sizes.collect());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT && !known.contains_key(&shape) {
            known.clear();
        }
        known.entry(shape).or_insert_with(|| translated(launch).map(Arc::new)).clone()
    }
}

fn translated(launch: &Launch) -> Result<Translated, String> {
    let Checked::Spa(program) = compile(&launch.program).map_err(|e| e.to_string())?.checked else {
        return Err("not an SPA 5.0 program".into());
    };
    let translation = translate(&program, launch).map_err(|e| e.to_string())?;
    let compiled = compile(&translation.text)
        .map_err(|e| format!("defect of warpdiff: its PTX translation is illegal: {e}"))?;
    Ok(Translated { translation, compiled: Arc::new(compiled) })
}

impl Layer for ThroughPtx {
    fn rephrase(&self, question: &Question<'_>) -> Option<Result<Rephrased, Observation>> {
        let launch = &question.planned.launch;
        if !question.program.is_spa() {
            return None;
        }
        let unsupported = |what: String| Some(Err(Observation::Unsupported { what }));
        let translated = match self.translated(launch) {
            Ok(translated) => translated,
            Err(why) => return unsupported(format!("SPA 5.0: {why}")),
        };
        if let Some(inexact) = inexact(&translated.translation, question.program, launch) {
            return unsupported(format!("SPA 5.0: no exact PTX translation: {}", inexact.why));
        }
        let program = Arc::clone(&translated.translation.text);
        let launch = Launch { program, ..launch.clone() };
        let planned = PlannedLaunch { launch, ..question.planned.clone() };
        Some(Ok(Rephrased { planned, compiled: Arc::clone(&translated.compiled) }))
    }
}
