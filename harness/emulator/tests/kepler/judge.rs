//! What Kepler does, held against what the reference allows.

use warpdiff_emulator::Options;
use warpdiff_model::{
    Admission, Allowed, Calls, ChannelType, Deviation, FaultClass, Observation, Permitted, Region,
    RegionKind, Semantics, State, Surface,
};

use crate::deviation::shown;
use crate::draw::Random;
use crate::kernel::{Arrangement, Kernel, OUTPUT};
use crate::model::{Access, Effect, Reached, effect, reached};
use crate::table::{Form, Instruction, Outside};

/// Stores of a launch, each to a surface of its own.
const STORES: usize = 32;
/// Accesses to a surface that are drawn at once: of loads, which share a launch, and of others.
const LOADS: usize = 128;
const OTHERS: usize = 32;
/// Accesses of a launch that all trap: as many faults as the emulator lists.
const TRAPS: usize = 64;
/// Deviating accesses of a form that are judged, each in a launch of its own.
const DEVIATING: usize = 24;

/// What came of the accesses of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Accesses that show no deviation, of which what Kepler does is allowed or is among `refused`.
    pub(crate) judged: usize,
    /// Those of them that are out of bounds.
    pub(crate) outside: usize,
    /// Accesses of which the witness says nothing: not aligned, in bounds.
    pub(crate) unsaid: usize,
    /// Those that are not allowed, for a person.
    pub(crate) refused: Vec<String>,
    /// Accesses that show deviations, each with whether it is not allowed.
    pub(crate) deviating: Vec<(Vec<Deviation>, bool)>,
    /// Deviating accesses that are not allowed under their deviations either.
    pub(crate) unexplained: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.outside += other.outside;
        self.unsaid += other.unsaid;
        self.refused.extend(other.refused);
        self.deviating.extend(other.deviating);
        self.unexplained.extend(other.unexplained);
    }
}

/// A form, the kernels around it, and what is allowed to it.
pub(crate) struct Witness<'a> {
    form: &'a Form,
    semantics: Semantics,
    /// Whether only what these semantics do is allowed, with their alternative of each choice, and not every alternative.
    as_chosen: bool,
    /// One thread or several, one surface.
    shared: Kernel,
    /// Stores one after the other.
    sequence: Option<Kernel>,
    tally: Tally,
}

impl<'a> Witness<'a> {
    /// A witness of that form against a reference without deviations.
    pub(crate) fn new(form: &'a Form) -> Self {
        let sequence = form.stores().then(|| Kernel::new(form, Arrangement::Sequence(STORES)));
        let shared = Kernel::new(form, Arrangement::Threads);
        Self {
            form,
            semantics: Semantics::default(),
            as_chosen: false,
            shared,
            sequence,
            tally: Tally::default(),
        }
    }

    /// Whether one of so many accesses is not allowed by a reference with that deviation.
    pub(crate) fn refuses(&mut self, deviation: Deviation, random: &mut Random, count: usize) -> bool {
        self.semantics = Semantics::default().with(deviation);
        let tally = self.judge_while(random, |tally| tally.judged < count && tally.refused.is_empty());
        self.semantics = Semantics::default();
        !tally.refused.is_empty()
    }

    /// Judges at least so many accesses, those that show deviations as any others, by what the emulator does under these semantics alone.
    pub(crate) fn judge_by(&mut self, semantics: Semantics, random: &mut Random, count: usize) -> Tally {
        (self.semantics, self.as_chosen) = (semantics, true);
        let tally = self.judge_while(random, |tally| tally.judged < count);
        (self.semantics, self.as_chosen) = (Semantics::default(), false);
        tally
    }

    /// Judges at least so many accesses.
    pub(crate) fn judge(&mut self, random: &mut Random, count: usize) -> Tally {
        self.judge_while(random, |tally| tally.judged < count)
    }

    fn judge_while(&mut self, random: &mut Random, goes_on: impl Fn(&Tally) -> bool) -> Tally {
        let mut pending: Vec<(Surface, Access)> = Vec::new();
        while goes_on(&self.tally) {
            let surface = random.surface(self.form, "surface0".into());
            let number = if self.form.stores() { OTHERS } else { LOADS };
            let accesses = (0..number).map(|_| random.access(self.form, &surface));
            let (mut trapping, mut others) = (Vec::new(), Vec::new());
            for access in accesses {
                let deviations = shown(self.form, &surface, &access);
                if !deviations.is_empty() && !self.as_chosen {
                    self.judge_deviating(&surface, &access, deviations);
                    continue;
                }
                match reached(self.form, &surface, access.coordinates) {
                    Reached::Unsaid => self.tally.unsaid += 1,
                    Reached::Trap => trapping.push(access),
                    Reached::Place { .. } | Reached::Nothing => others.push(access),
                }
            }
            self.count(&surface, &trapping);
            trapping.chunks(TRAPS).for_each(|accesses| self.judge_trapping(&surface, accesses));
            if !self.form.stores() {
                self.count(&surface, &others);
                self.judge_loads(&surface, &others);
                continue;
            }
            pending.extend(others.into_iter().map(|access| (surface.clone(), access)));
            while pending.len() >= STORES {
                let rest = pending.split_off(STORES);
                for (surface, access) in &pending {
                    self.count(surface, std::slice::from_ref(access));
                }
                self.judge_stores(&pending);
                pending = rest;
            }
        }
        std::mem::take(&mut self.tally)
    }

    fn count(&mut self, surface: &Surface, accesses: &[Access]) {
        self.tally.judged += accesses.len();
        let outside = accesses.iter().filter(|access| is_outside(self.form, surface, access));
        self.tally.outside += outside.count();
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

    fn judge_deviating(&mut self, surface: &Surface, access: &Access, deviations: Vec<Deviation>) {
        if self.tally.deviating.iter().filter(|(known, _)| *known == deviations).count() == DEVIATING
            || reached(self.form, surface, access.coordinates) == Reached::Unsaid
        {
            return;
        }
        let (surfaces, accesses) = (std::slice::from_ref(surface), std::slice::from_ref(access));
        let observation = self.observation(&self.shared, surfaces, accesses);
        let admission = self.allowed(&self.shared, surfaces, accesses).admits(&observation);
        let specification = self.semantics;
        self.semantics = deviations.iter().copied().fold(specification, Semantics::with);
        let deviant = self.allowed(&self.shared, surfaces, accesses).admits(&observation);
        self.semantics = specification;
        if !conforms(&deviant) {
            self.tally.unexplained.push(format!("{deviations:?}: {}", self.told(surface, access, &deviant)));
        }
        self.tally.deviating.push((deviations, !conforms(&admission)));
    }

    /// Of so many accesses whose whole effect the text fixes, those that are allowed to have another effect as well: with one bit changed of
    /// what is loaded, of what is stored where it is stored, or of the surface where nothing is.
    pub(crate) fn also_allowed(&self, random: &mut Random, count: usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut judged = 0;
        while judged < count {
            let surface = random.surface(self.form, "surface0".into());
            let access = random.access(self.form, &surface);
            let reached = reached(self.form, &surface, access.coordinates);
            let clamped = is_outside(self.form, &surface, &access) && self.form.outside == Outside::Clamped;
            let size = self.form.size(surface.format.texel_size() as usize);
            let (offset, len) = match reached {
                Reached::Place { offset, inside } if inside == size => (offset, size),
                Reached::Nothing => (0, surface.bytes.len()),
                _ => continue,
            };
            if clamped || !is_fixed(self.form, &surface) || !shown(self.form, &surface, &access).is_empty() {
                continue;
            }
            judged += 1;
            let (surfaces, accesses) = (std::slice::from_ref(&surface), std::slice::from_ref(&access));
            let mut observation = self.observation(&self.shared, surfaces, accesses);
            let Observation::Completed { state } = &mut observation else { continue };
            let kind = if self.form.stores() { RegionKind::Surface } else { RegionKind::Buffer };
            let (name, offset, len) =
                if self.form.stores() { ("surface0", offset, len) } else { ("out", 0, size) };
            let at = offset + usize::from(access.chance[0]) % len;
            for region in state.regions.iter_mut().filter(|region| region.kind == kind && region.name == name)
            {
                region.bytes[at] ^= 1 << (access.chance[1] & 7);
            }
            let admission = self.allowed(&self.shared, surfaces, accesses).admits(&observation);
            if !matches!(admission, Admission::Violates { .. }) {
                found.push(self.told(&surface, &access, &admission));
            }
        }
        found
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
        let allowed = match self.as_chosen {
            false => warpdiff_emulator::allowed(&kernel.program, &launch, &self.semantics),
            true => warpdiff_emulator::run(&kernel.program, &launch, &self.semantics, &Options::default())
                .map(|run| Allowed { outcomes: vec![run.outcome], tolerances: Vec::new() }),
        };
        allowed.unwrap_or_else(|error| panic!("{}: {error}", self.form.text))
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

/// Whether an access is out of bounds, whatever becomes of it.
fn is_outside(form: &Form, surface: &Surface, access: &Access) -> bool {
    let trapping = Form { outside: Outside::Trapped, ..form.clone() };
    reached(&trapping, surface, access.coordinates) == Reached::Trap
}

/// Whether the text fixes all bits that the form stores to such a surface.
fn is_fixed(form: &Form, surface: &Surface) -> bool {
    use ChannelType::{S8, S16, S32, U8, U16, U32};
    match form.instruction {
        Instruction::Load(_) | Instruction::Store(_) => true,
        // "Surface sample components that do not occur in the source vector will be written with an unpredictable value."
        Instruction::StoreTexel(components) => components >= usize::from(surface.format.channels),
        // "if the surface format contains UINT data, then .u32 is assumed; if […] SINT data, then .s32": of others it says nothing.
        Instruction::Reduce { .. } if form.in_texels => {
            matches!(surface.format.channel, U8 | U16 | U32 | S8 | S16 | S32)
        }
        Instruction::Reduce { .. } => true,
    }
}

fn conforms(admission: &Admission) -> bool {
    matches!(admission, Admission::Conforms { .. })
}
