//! What Kepler does, held against what the reference allows.

use warpdiff_model::{
    Admission, Allowed, Calls, FaultClass, Observation, Permitted, Region, RegionKind, Semantics, State, Surface,
};

use crate::departure::Departure;
use crate::draw::Random;
use crate::kernel::{Arrangement, Kernel, OUTPUT};
use crate::model::{Access, Effect, Reached, effect, reached};
use crate::table::{Form, Outside};

/// Stores of a launch, each to a surface of its own.
const STORES: usize = 32;
/// Accesses to a surface that are drawn at once: of loads, which share a launch, and of others.
const LOADS: usize = 128;
const OTHERS: usize = 32;
/// Accesses of a launch that all trap: as many faults as the emulator lists.
const TRAPS: usize = 64;
/// Departing accesses of a form that are judged, each in a launch of its own.
const DEPARTING: usize = 24;

/// What came of the accesses of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Accesses in no departure, of which what Kepler does is allowed or is among `refused`.
    pub(crate) judged: usize,
    /// Those of them that are out of bounds.
    pub(crate) outside: usize,
    /// Accesses of which the witness says nothing: not aligned, in bounds.
    pub(crate) unsaid: usize,
    /// Those that are not allowed, for a person.
    pub(crate) refused: Vec<String>,
    /// Accesses in one departure or several, and those of them that are not allowed.
    pub(crate) departing: Vec<(Vec<Departure>, bool)>,
    /// Departing accesses that are not allowed under their deviations either.
    pub(crate) unexplained: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.outside += other.outside;
        self.unsaid += other.unsaid;
        self.refused.extend(other.refused);
        self.departing.extend(other.departing);
        self.unexplained.extend(other.unexplained);
    }
}

/// A form, the kernels around it, and what is allowed to it.
pub(crate) struct Witness<'a> {
    form: &'a Form,
    semantics: Semantics,
    /// One thread or several, one surface.
    shared: Kernel,
    /// Stores one after the other.
    sequence: Option<Kernel>,
    tally: Tally,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(form: &'a Form, semantics: Semantics) -> Self {
        let sequence = form.stores().then(|| Kernel::new(form, Arrangement::Sequence(STORES)));
        let shared = Kernel::new(form, Arrangement::Threads);
        Self { form, semantics, shared, sequence, tally: Tally::default() }
    }

    /// Judges at least so many accesses.
    pub(crate) fn judge(mut self, random: &mut Random, count: usize) -> Tally {
        let mut pending: Vec<(Surface, Access)> = Vec::new();
        while self.tally.judged + pending.len() < count {
            let surface = random.surface(self.form, "surface0".into());
            let number = if self.form.stores() { OTHERS } else { LOADS };
            let accesses = (0..number).map(|_| random.access(self.form, &surface));
            let (mut trapping, mut others) = (Vec::new(), Vec::new());
            for access in accesses {
                let departures = Departure::of(self.form, &surface, &access);
                if !departures.is_empty() {
                    self.judge_departing(&surface, &access, departures);
                    continue;
                }
                match reached(self.form, &surface, access.coordinates) {
                    Reached::Unsaid => self.tally.unsaid += 1,
                    Reached::Trap => trapping.push(access),
                    Reached::Place { .. } | Reached::Nothing => others.push(access),
                }
            }
            self.count(&surface, trapping.iter().chain(&others));
            trapping.chunks(TRAPS).for_each(|accesses| self.judge_trapping(&surface, accesses));
            if !self.form.stores() {
                self.judge_loads(&surface, &others);
                continue;
            }
            pending.extend(others.into_iter().map(|access| (surface.clone(), access)));
            while pending.len() >= STORES {
                let rest = pending.split_off(STORES);
                self.judge_stores(&pending);
                pending = rest;
            }
        }
        self.tally.judged -= pending.len();
        self.tally
    }

    fn count<'b>(&mut self, surface: &Surface, accesses: impl Iterator<Item = &'b Access>) {
        let clamps = self.form.outside == Outside::Clamped;
        // Under .clamp, too, as .trap would have it.
        let trapping = Form { outside: Outside::Trapped, ..self.form.clone() };
        for access in accesses {
            self.tally.judged += 1;
            let reached = reached(if clamps { &trapping } else { self.form }, surface, access.coordinates);
            self.tally.outside += usize::from(matches!(reached, Reached::Trap | Reached::Nothing));
        }
    }

    fn judge_trapping(&mut self, surface: &Surface, accesses: &[Access]) {
        if accesses.is_empty() {
            return;
        }
        let surfaces = std::slice::from_ref(surface);
        let allowed = self.allowed(&self.shared, surfaces, accesses);
        // Each thread by itself: an outcome in which it faults is one of a launch of this thread alone.
        for (thread, access) in accesses.iter().enumerate() {
            let faults = allowed.outcomes.iter().any(|outcome| {
                let Permitted::Faulted { faults } = &outcome.permitted else { return false };
                faults.iter().any(|fault| fault.thread.is_some_and(|place| place[3] as usize == thread))
            });
            if !faults {
                self.judge_alone(surface, access);
            }
        }
    }

    fn judge_loads(&mut self, surface: &Surface, accesses: &[Access]) {
        if accesses.is_empty() {
            return;
        }
        let surfaces = std::slice::from_ref(surface);
        if !conforms(&self.admission(&self.shared, surfaces, accesses)) {
            accesses.iter().for_each(|access| self.judge_alone(surface, access));
        }
    }

    fn judge_stores(&mut self, stores: &[(Surface, Access)]) {
        let Some(sequence) = &self.sequence else { return };
        let (mut surfaces, accesses): (Vec<Surface>, Vec<Access>) = stores.iter().cloned().unzip();
        for (number, surface) in surfaces.iter_mut().enumerate() {
            surface.name = format!("surface{number}");
        }
        if !conforms(&self.admission(sequence, &surfaces, &accesses)) {
            stores.iter().for_each(|(surface, access)| self.judge_alone(surface, access));
        }
    }

    fn judge_alone(&mut self, surface: &Surface, access: &Access) {
        let surfaces = std::slice::from_ref(surface);
        let admission = self.admission(&self.shared, surfaces, std::slice::from_ref(access));
        if !conforms(&admission) {
            self.tally.refused.push(self.told(surface, access, &admission));
        }
    }

    fn judge_departing(&mut self, surface: &Surface, access: &Access, departures: Vec<Departure>) {
        if self.tally.departing.iter().filter(|(known, _)| *known == departures).count() == DEPARTING
            || reached(self.form, surface, access.coordinates) == Reached::Unsaid
        {
            return;
        }
        let surfaces = std::slice::from_ref(surface);
        let admission = self.admission(&self.shared, surfaces, std::slice::from_ref(access));
        self.tally.departing.push((departures, !conforms(&admission)));
    }

    /// What was done, and why it is not allowed.
    fn told(&self, surface: &Surface, access: &Access, admission: &Admission) -> String {
        let Surface { extent, layers, format, .. } = surface;
        format!(
            "{} of {format} {extent:?} x {layers}, a row of {} bytes, at {:?}: {:?}; {admission:?}",
            self.form.text,
            surface.row_size(),
            access.coordinates,
            reached(self.form, surface, access.coordinates),
        )
    }

    fn allowed(&self, kernel: &Kernel, surfaces: &[Surface], accesses: &[Access]) -> Allowed {
        let launch = kernel.launch(surfaces, accesses);
        warpdiff_emulator::allowed(&kernel.program, &launch, &self.semantics)
            .unwrap_or_else(|error| panic!("{}: {error}", self.form.text))
    }

    fn admission(&self, kernel: &Kernel, surfaces: &[Surface], accesses: &[Access]) -> Admission {
        self.allowed(kernel, surfaces, accesses).admits(&self.observation(kernel, surfaces, accesses))
    }

    /// What Kepler does: with one surface all accesses are to it, otherwise each is to its own. None may trap but one that is alone.
    fn observation(&self, kernel: &Kernel, surfaces: &[Surface], accesses: &[Access]) -> Observation {
        let launch = kernel.launch(surfaces, accesses);
        let mut images: Vec<Vec<u8>> = surfaces.iter().map(|surface| surface.bytes.clone()).collect();
        let mut output = vec![0; OUTPUT * accesses.len()];
        for (number, access) in accesses.iter().enumerate() {
            let own = if surfaces.len() == 1 { 0 } else { number };
            match effect(self.form, &surfaces[own], access) {
                Some(Effect::Loaded(bytes)) => {
                    output[OUTPUT * number..OUTPUT * (number + 1)].copy_from_slice(&bytes);
                }
                Some(Effect::Stored(image)) => images[own] = image,
                None => {
                    return Observation::Faulted {
                        class: FaultClass::SurfaceTrap,
                        code: 0,
                        thread: None,
                        state: None,
                        calls: Calls::default(),
                    };
                }
            }
        }
        let region = |kind, name: &str, bytes| Region { kind, name: name.to_owned(), bytes };
        let mut regions = vec![
            region(RegionKind::Buffer, "in", launch.buffers[0].bytes.clone()),
            region(RegionKind::Buffer, "out", output),
            region(RegionKind::Guard, "in", Vec::new()),
            region(RegionKind::Guard, "out", Vec::new()),
        ];
        regions.extend(
            surfaces
                .iter()
                .zip(images)
                .map(|(surface, image)| region(RegionKind::Surface, &surface.name, image)),
        );
        Observation::Completed { state: State { regions } }
    }
}

fn conforms(admission: &Admission) -> bool {
    matches!(admission, Admission::Conforms { .. })
}
