//! The layer that translates SPA 5.0 programs to PTX, for targets that do not take SPA 5.0.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpdiff_corpus::plan::PlannedLaunch;
use warpdiff_emulator::{Checked, Compiled, compile};
use warpdiff_model::{Argument, Launch, Observation};

use super::Question;
use super::layered::{Layer, Rephrased};
use crate::translation::{Translation, inexact, translate};

/// Limit of cached translations; the launches of a variant follow each other, and generated programs run once.
const KEPT: usize = 256;

/// Translates SPA 5.0 programs. A launch without an exact translation is answered with `unsupported`.
#[derive(Default)]
pub struct ThroughPtx {
    known: Mutex<HashMap<Shape, Result<Arc<Translated>, String>>>,
}

/// Key of a translation: program, entry, dynamic shared memory, sizes of the arguments.
type Shape = (Arc<str>, String, u32, Vec<usize>);

/// The translation of a program.
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
        if !warpdiff_sass::is_spa(&launch.program) {
            return None;
        }
        let unsupported = |what: String| Some(Err(Observation::Unsupported { what }));
        let Some(program) = question.program else {
            return unsupported(
                "SPA 5.0: a program that warpdiff does not run has no PTX translation".into(),
            );
        };
        let translated = match self.translated(launch) {
            Ok(translated) => translated,
            Err(why) => return unsupported(format!("SPA 5.0: {why}")),
        };
        if let Some(inexact) = inexact(&translated.translation, program, launch) {
            return unsupported(format!("SPA 5.0: no exact PTX translation: {}", inexact.why));
        }
        let program = Arc::clone(&translated.translation.text);
        let launch = Launch { program, ..launch.clone() };
        let planned = PlannedLaunch { launch, ..question.planned.clone() };
        Some(Ok(Rephrased { planned, compiled: Arc::clone(&translated.compiled) }))
    }
}
