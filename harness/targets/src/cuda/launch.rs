//! One launch on a device: load, allocate, run, read back.

use std::sync::Arc;

use warpdiff_model::{
    Argument, Buffer, Calls, HostWrite, Launch, Observation, Region, RegionKind, State, Surface, Texture,
};
use warpdiff_ptx::checked;
use warpdiff_ptx::vocabulary::Space;

use super::array::Array;
use super::driver::{DevicePointer, Driver, Kernel, Mapped, Module, Shape};
use super::machine_words::{self, runs_spa};
use super::result::{self, Ending, Refusal};
use super::texture;
use crate::fit::{Taker, fit};

/// Alignment of a buffer's data in bytes, as the protocol promises.
const ALIGNMENT: usize = 256;
/// Default limit of shared memory of a kernel in bytes.
const USUAL_SHARED: u32 = 48 << 10;

/// Bytes of the handle of a surface object.
const HANDLE: usize = 8;

/// Result of a launch.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) observation: Observation,
    /// Whether the context is unusable.
    pub(super) spent: bool,
}

/// Runs launches on one device.
pub(super) struct Launcher {
    driver: Driver,
    taker: Taker,
    level: Option<u8>,
    loaded: Option<Loaded>,
    /// The text of the last shared module.
    shared: Option<Arc<str>>,
}

/// A loaded program.
struct Loaded {
    text: Arc<str>,
    contents: Contents,
    module: Module,
    /// Whether it is unloaded after each launch, because a launch can change its `.global` variables and the bindings of its
    /// references.
    /// False for a shared module, which the supervisor builds so that launches do not affect each other.
    remembers: bool,
}

/// What a loaded program says of itself.
enum Contents {
    /// PTX.
    Ptx(checked::Module),
    /// Machine words of SPA 5.0, with these sizes of the parameters of their kernel. There are no variables.
    MachineWords(Vec<usize>),
    /// PTX that warpdiff's front end does not know all of. The arguments are taken to be those of its parameters.
    Unchecked,
}

/// Why a launch did not run to its end.
enum Stop {
    Unsupported(String),
    Rejected {
        stage: &'static str,
        message: String,
        calls: Calls,
    },
    /// The kernel did not run to its end.
    Ended {
        ending: Ending,
        code: u32,
        calls: Calls,
        /// The memory that is still readable, if any.
        state: Option<State>,
    },
}

/// Memory of a launch; freed on drop.
struct Memory<'d> {
    driver: &'d Driver,
    /// Whether buffers are in mapped host memory, which stays readable after a fault.
    mapped: bool,
    buffers: Vec<Allocated>,
    arrays: Vec<Array>,
    surfaces: Vec<u64>,
    /// Arrays of textures.
    images: Vec<Array>,
    textures: Vec<u64>,
}

/// A buffer between its guard bands.
struct Allocated {
    place: Place,
    /// Address of the data on the device.
    data: DevicePointer,
}

/// Location of a buffer.
enum Place {
    Device(DevicePointer),
    Host(Mapped),
}

impl Launcher {
    pub(super) fn new(driver: Driver, level: Option<u8>) -> Self {
        let taker = Taker::new(driver.device().capability, driver.version());
        Self { driver, taker, level, loaded: None, shared: None }
    }

    pub(super) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// Runs a launch. With `may_fault`, buffers are in mapped host memory where the device supports that, so that stores before a
    /// fault are visible.
    pub(super) fn run(&mut self, launch: &Launch, may_fault: bool) -> Ran {
        let (observation, mut spent) = match self.attempt(launch, may_fault) {
            Ok(state) => (Observation::Completed { state }, false),
            Err(stop) => {
                let ended = matches!(stop, Stop::Ended { .. });
                (stop.observed(), ended)
            }
        };
        if self.loaded.as_ref().is_some_and(|loaded| loaded.remembers) && !spent {
            spent = self.unload().is_err();
        }
        // An error that a later launch would be blamed for ends the process instead, unless the library can forget it.
        spent = spent || self.driver.synchronize().is_err();
        if spent {
            self.loaded = None;
            spent = self.driver.begin_afresh().is_err();
        }
        Ran { observation, spent }
    }

    fn attempt(&mut self, launch: &Launch, may_fault: bool) -> Result<State, Stop> {
        match warpdiff_sass::is_spa(&launch.program) {
            true => self.load_words(launch)?,
            false => self.load(&launch.program)?,
        }
        let Some(loaded) = &self.loaded else { return Err(Stop::refused("no program is loaded")) };
        let kernel = kernel(&self.driver, loaded, launch)?;
        let mut memory = Memory::new(&self.driver, may_fault && self.driver.device().maps_host);
        for buffer in &launch.buffers {
            memory.buffer(buffer).map_err(|r| Stop::of(r, "launch"))?;
        }
        for surface in &launch.surfaces {
            memory.surface(surface, loaded)?;
        }
        for texture in &launch.textures {
            memory.texture(texture, loaded)?;
        }
        let mut arguments = arguments(launch, &memory)?;
        for write in &launch.host_writes {
            write_from_host(&self.driver, loaded, write)?;
        }
        execute(&self.driver, &kernel, launch, &mut arguments)
            .map_err(|stop| stop.showing(memory.left(launch)))?;
        let state = memory.state(launch, loaded).map_err(|r| Stop::of(r, "read"))?;
        Ok(state)
    }

    /// Compiles and loads a shared module, in place of the loaded program.
    pub(super) fn share(&mut self, text: &Arc<str>) -> Result<(), String> {
        self.shared = Some(Arc::clone(text));
        self.load(text).map_err(|stop| match stop.observed() {
            Observation::Unsupported { what } => what,
            Observation::Rejected { message, .. } => message,
            other => format!("{other:?}"),
        })
    }

    fn load(&mut self, text: &Arc<str>) -> Result<(), Stop> {
        if self.loaded.as_ref().is_some_and(|loaded| loaded.text == *text) {
            return Ok(());
        }
        self.unload().map_err(|r| Stop::of(r, "load"))?;
        let fitted = fit(text, self.taker).map_err(Stop::Unsupported)?;
        let loaded = match fitted.linked {
            true => self.driver.link(&fitted.text, self.level),
            false => self.driver.load(&fitted.text, self.level),
        };
        let module = loaded.map_err(|refusal| {
            let log = self.driver.log();
            let words =
                if log.is_empty() { refusal.to_string() } else { format!("{refusal}; its log: {log}") };
            match refusal.is_inability() {
                true => Stop::Unsupported(words),
                false => {
                    let calls = Calls { load: refusal.code(), next: next(&self.driver), ..Calls::default() };
                    Stop::Rejected { stage: "load", message: words, calls }
                }
            }
        })?;
        let in_memory = |module: &checked::Module| module.variables.iter().any(|v| v.space == Space::Global);
        let is_shared = self.shared.as_ref() == Some(text);
        let remembers = !is_shared && fitted.module.as_ref().is_none_or(in_memory);
        let contents = fitted.module.map_or(Contents::Unchecked, Contents::Ptx);
        self.loaded = Some(Loaded { text: Arc::clone(text), contents, module, remembers });
        Ok(())
    }

    /// Loads the machine words of a program of SPA 5.0, for parameters of the sizes of the arguments.
    fn load_words(&mut self, launch: &Launch) -> Result<(), Stop> {
        let sizes: Vec<_> = launch.arguments.iter().map(size).collect();
        let is_loaded = |loaded: &Loaded| {
            let same = matches!(&loaded.contents, Contents::MachineWords(of) if *of == sizes);
            same && loaded.text == launch.program
        };
        if self.loaded.as_ref().is_some_and(is_loaded) {
            return Ok(());
        }
        self.unload().map_err(|r| Stop::of(r, "load"))?;
        let unsupported = |why: String| Stop::Unsupported(format!("SPA 5.0: no cubin: {why}"));
        if !runs_spa(self.driver.device().capability) {
            return Err(unsupported("the device is none of compute capability 5.x".into()));
        }
        let file = machine_words::cubin(launch).map_err(unsupported)?;
        let module = self.driver.load_binary(&file).map_err(|refusal| {
            let calls = Calls { load: refusal.code(), next: next(&self.driver), ..Calls::default() };
            Stop::of(refusal, "load").after(calls)
        })?;
        let contents = Contents::MachineWords(sizes);
        self.loaded = Some(Loaded { text: Arc::clone(&launch.program), contents, module, remembers: false });
        Ok(())
    }

    fn unload(&mut self) -> Result<(), Refusal> {
        self.loaded.take().map_or(Ok(()), |loaded| self.driver.unload(loaded.module))
    }
}

/// Result of the next call after one that failed.
fn next(driver: &Driver) -> Option<u32> {
    match driver.synchronize() {
        Ok(()) => Some(0),
        Err(refusal) => refusal.code(),
    }
}

/// The kernel of a launch. Checks that the arguments have the sizes of the parameters.
fn kernel(driver: &Driver, loaded: &Loaded, launch: &Launch) -> Result<Kernel, Stop> {
    let checked = match &loaded.contents {
        Contents::Ptx(checked) => checked,
        Contents::MachineWords(sizes) => {
            let kernel = driver.kernel(loaded.module, &launch.entry, sizes.clone());
            return kernel.map_err(|refusal| Stop::of(refusal, "load"));
        }
        Contents::Unchecked => {
            let sizes = launch.arguments.iter().map(size).collect();
            let kernel = driver.kernel(loaded.module, &launch.entry, sizes);
            return kernel.map_err(|refusal| Stop::of(refusal, "load"));
        }
    };
    let entries = checked.functions.iter().filter(|function| function.entry);
    let Some(entry) = entries.into_iter().find(|function| function.name == launch.entry) else {
        return Err(Stop::refused(format!("the program has no entry `{}`", launch.entry)));
    };
    let opaque = entry.parameters.iter().find(|parameter| parameter.ty.is_opaque());
    if let Some(parameter) = opaque
        && !driver.device().is_emulated()
    {
        // It has a place among the parameters, but no bytes, and `cuParamSetTexRef` never had a sibling for surfaces.
        return Err(Stop::Unsupported(format!(
            "the driver API has no call that binds an opaque kernel parameter (`{}`)",
            parameter.name
        )));
    }
    let size_of = |parameter: &checked::Parameter| match parameter.ty.is_opaque() {
        true => HANDLE,
        false => parameter.size as usize,
    };
    let sizes: Vec<_> = entry.parameters.iter().map(size_of).collect();
    let given: Vec<_> = launch.arguments.iter().map(size).collect();
    if sizes != given {
        let message = format!("the arguments have {given:?} bytes, the parameters {sizes:?}");
        return Err(Stop::refused(message));
    }
    driver.kernel(loaded.module, &launch.entry, sizes).map_err(|refusal| match refusal.code() {
        Some(result::NOT_FOUND) => {
            Stop::Unsupported(format!("the driver does not find the entry `{}`", launch.entry))
        }
        _ => Stop::of(refusal, "load"),
    })
}

/// Writes a `.managed` variable through its address.
fn write_from_host(driver: &Driver, loaded: &Loaded, write: &HostWrite) -> Result<(), Stop> {
    let HostWrite { variable: name, bytes } = write;
    let variable = loaded.variable(name).filter(|variable| variable.managed);
    let Some(variable) = variable else {
        return Err(Stop::refused(format!("the program has no `.managed` variable `{name}`")));
    };
    if variable.size != bytes.len() as u64 {
        return Err(Stop::refused(format!(
            "`{name}` has {} bytes, {} are written",
            variable.size,
            bytes.len()
        )));
    }
    if !driver.device().manages {
        return Err(Stop::Unsupported("the device has no managed memory".into()));
    }
    let memory = driver.managed(loaded.module, name, bytes.len());
    memory.map_err(|r| Stop::of(r, "launch"))?.write(bytes);
    Ok(())
}

impl Loaded {
    /// The module-scope variable with this name.
    fn variable(&self, name: &str) -> Option<&checked::Variable> {
        match &self.contents {
            Contents::Ptx(checked) => checked.variables.iter().find(|v| v.scope.is_none() && v.name == name),
            Contents::MachineWords(_) | Contents::Unchecked => None,
        }
    }
}

/// Bytes of an argument.
pub(super) fn size(argument: &Argument) -> usize {
    match argument {
        Argument::Value(bytes) => bytes.len(),
        Argument::Buffer { .. } => 8,
        Argument::Surface { .. }
        | Argument::SurfaceReference { .. }
        | Argument::Texture { .. }
        | Argument::TextureReference { .. }
        | Argument::SamplerReference { .. } => HANDLE,
    }
}

fn arguments(launch: &Launch, memory: &Memory<'_>) -> Result<Vec<Vec<u8>>, Stop> {
    let missing = |what: &str, index: usize| Stop::refused(format!("the launch has no {what} {index}"));
    let one = |argument: &Argument| match argument {
        Argument::Value(bytes) => Ok(bytes.clone()),
        Argument::Buffer { index, offset } => {
            let buffer = memory.buffers.get(*index).ok_or_else(|| missing("buffer", *index))?;
            Ok(buffer.data.wrapping_add_signed(*offset).to_le_bytes().to_vec())
        }
        // Our own library takes handles for opaque parameters; on hardware `kernel` has refused the launch.
        Argument::Surface { index } | Argument::SurfaceReference { index } => {
            let surface = memory.surfaces.get(*index).ok_or_else(|| missing("surface", *index))?;
            Ok(surface.to_le_bytes().to_vec())
        }
        Argument::Texture { index }
        | Argument::TextureReference { index }
        | Argument::SamplerReference { index } => {
            let texture = memory.textures.get(*index).ok_or_else(|| missing("texture", *index))?;
            Ok(texture.to_le_bytes().to_vec())
        }
    };
    launch.arguments.iter().map(one).collect()
}

/// Launches the kernel and waits for it.
fn execute(driver: &Driver, kernel: &Kernel, launch: &Launch, arguments: &mut [Vec<u8>]) -> Result<(), Stop> {
    if launch.dynamic_shared > USUAL_SHARED {
        driver.allow_shared(kernel, launch.dynamic_shared).map_err(|r| Stop::of(r, "launch"))?;
    }
    driver.allow_steps(launch.step_budget);
    let shape = Shape { grid: launch.grid, block: launch.block, shared: launch.dynamic_shared };
    let loaded = Calls { load: Some(0), ..Calls::default() };
    if let Err(refusal) = driver.launch(kernel, shape, arguments) {
        let Some(code) = refusal.code() else { return Err(Stop::of(refusal, "launch")) };
        let calls = Calls { launch: Some(code), next: next(driver), ..loaded };
        return Err(match result::at_launch(code) {
            Some(ending) => Stop::Ended { ending, code, calls, state: None },
            None => Stop::of(refusal, "launch").after(calls),
        });
    }
    let Err(refusal) = driver.synchronize() else { return Ok(()) };
    let Some(code) = refusal.code() else { return Err(Stop::of(refusal, "launch")) };
    let calls = Calls { launch: Some(0), synchronize: Some(code), next: next(driver), ..loaded };
    Err(Stop::Ended { ending: result::at_synchronisation(code), code, calls, state: None })
}

impl<'d> Memory<'d> {
    fn new(driver: &'d Driver, mapped: bool) -> Self {
        let (buffers, arrays, surfaces, images, textures) = Default::default();
        Self { driver, mapped, buffers, arrays, surfaces, images, textures }
    }

    /// Makes a buffer between its guard bands.
    fn buffer(&mut self, buffer: &Buffer) -> Result<(), Refusal> {
        let guard = buffer.guard as usize;
        let lead = guard.next_multiple_of(ALIGNMENT);
        let mut bytes = vec![Buffer::GUARD_BYTE; lead];
        bytes.extend_from_slice(&buffer.bytes);
        bytes.resize(bytes.len() + guard, Buffer::GUARD_BYTE);
        let size = bytes.len().max(1);
        let (place, base) = match self.mapped {
            true => {
                let mut mapped = self.driver.map(size)?;
                mapped.write(&bytes);
                let base = mapped.device;
                (Place::Host(mapped), base)
            }
            false => {
                let base = self.driver.allocate(size)?;
                (Place::Device(base), base)
            }
        };
        self.buffers.push(Allocated { place, data: base.wrapping_add(lead as u64) });
        if base % ALIGNMENT as u64 != 0 {
            return Err(Refusal::Nonsense(format!(
                "the library allocated {base:#x}, which is not aligned to 256 bytes"
            )));
        }
        if self.mapped || bytes.is_empty() { Ok(()) } else { self.driver.upload(base, &bytes) }
    }

    /// Makes an array with a surface object, and binds it to its variable.
    fn surface(&mut self, surface: &Surface, loaded: &Loaded) -> Result<(), Stop> {
        check_texels("surface", surface)?;
        let at = |refusal: Refusal| Stop::of_image(refusal, "surface", surface);
        let array = self.driver.array(surface).map_err(at)?;
        self.arrays.push(array);
        self.driver.fill(array, &surface.bytes).map_err(at)?;
        self.surfaces.push(self.driver.surface(array).map_err(at)?);
        let Some(name) = &surface.bound_to else { return Ok(()) };
        self.driver.bind(loaded.module, name, array).map_err(|refusal| match refusal.code() {
            Some(result::NOT_FOUND) => {
                Stop::Unsupported(format!("the driver does not find the `.surfref {name}`"))
            }
            _ => at(refusal),
        })
    }

    /// Makes an array with a texture object, and binds it to its variable.
    fn texture(&mut self, texture: &Texture, loaded: &Loaded) -> Result<(), Stop> {
        let Texture { image, sampler } = texture;
        check_texels("texture", image)?;
        if let Some(what) = texture::lacks(sampler) {
            return Err(Stop::Unsupported(what.into()));
        }
        let at = |refusal: Refusal| Stop::of_image(refusal, "texture", image);
        let array = self.driver.array(image).map_err(at)?;
        self.images.push(array);
        self.driver.fill(array, &image.bytes).map_err(at)?;
        self.textures.push(self.driver.texture(array, sampler).map_err(at)?);
        let Some(name) = &image.bound_to else { return Ok(()) };
        let bound = self.driver.bind_texture(loaded.module, name, array, sampler);
        bound.map_err(|refusal| match refusal.code() {
            Some(result::NOT_FOUND) => {
                Stop::Unsupported(format!("the driver does not find the `.texref {name}`"))
            }
            _ => at(refusal),
        })
    }

    /// The memory that is readable after a fault: mapped buffers. Arrays and variables are lost with the context.
    fn left(&self, launch: &Launch) -> Option<State> {
        if !self.mapped || launch.buffers.is_empty() {
            return None;
        }
        let held = self.contents(launch).ok()?;
        Some(State { regions: regions(launch, held) })
    }

    /// Every buffer with its guard bands.
    fn contents(&self, launch: &Launch) -> Result<Vec<Vec<u8>>, Refusal> {
        let one = |(buffer, at): (&Buffer, &Allocated)| {
            let guard = buffer.guard as usize;
            let all = buffer.bytes.len() + 2 * guard;
            match &at.place {
                _ if all == 0 => Ok(Vec::new()),
                Place::Device(_) => self.driver.download(at.data - guard as u64, all),
                Place::Host(mapped) => {
                    let start = guard.next_multiple_of(ALIGNMENT) - guard;
                    let found = mapped.read().get(start..start + all).map(<[u8]>::to_vec);
                    found.ok_or_else(|| Refusal::Nonsense("mapped memory is too short".into()))
                }
            }
        };
        launch.buffers.iter().zip(&self.buffers).map(one).collect()
    }

    /// The memory after the launch.
    fn state(&self, launch: &Launch, loaded: &Loaded) -> Result<State, Refusal> {
        let mut regions = regions(launch, self.contents(launch)?);
        for (surface, array) in launch.surfaces.iter().zip(&self.arrays) {
            let bytes = self.driver.texels(*array)?;
            regions.push(Region { kind: RegionKind::Surface, name: surface.name.clone(), bytes });
        }
        for name in &launch.observed_variables {
            let Some(variable) = loaded.variable(name) else {
                return Err(Refusal::Nonsense(format!("the program has no variable `{name}`")));
            };
            let size = variable.size as usize;
            let bytes = match variable.managed && self.driver.device().manages {
                // "Host and other devices in the system can reference the variable directly."
                true => self.driver.managed(loaded.module, name, size)?.read(),
                false => match self.driver.variable(loaded.module, name)? {
                    (address, found) if found == size => self.driver.download(address, size)?,
                    (_, found) => return Err(Refusal::of_size(name, found)),
                },
            };
            regions.push(Region { kind: RegionKind::Variable, name: name.clone(), bytes });
        }
        Ok(State { regions })
    }
}

/// Checks that an image has as many bytes as its shape says.
fn check_texels(noun: &str, image: &Surface) -> Result<(), Stop> {
    let counts = image.extent.iter().chain([&image.layers]);
    let texel = u128::from(image.format.texel_size());
    let size = counts.fold(texel, |size, n| size.saturating_mul(u128::from(*n)));
    let given = image.bytes.len();
    if size == given as u128 {
        return Ok(());
    }
    Err(Stop::refused(format!("{noun} `{}` of {size} bytes is given {given} bytes", image.name)))
}

/// Buffers, then their guard bands: the one before the data and the one after it, joined.
fn regions(launch: &Launch, held: Vec<Vec<u8>>) -> Vec<Region> {
    let mut regions = Vec::new();
    let mut guards = Vec::new();
    for (buffer, mut bytes) in launch.buffers.iter().zip(held) {
        let (size, guard) = (buffer.bytes.len(), buffer.guard as usize);
        let after = bytes.split_off(guard + size);
        let middle = bytes.split_off(guard);
        bytes.extend_from_slice(&after);
        regions.push(Region { kind: RegionKind::Buffer, name: buffer.name.clone(), bytes: middle });
        guards.push(Region { kind: RegionKind::Guard, name: buffer.name.clone(), bytes });
    }
    regions.append(&mut guards);
    regions
}

impl Drop for Memory<'_> {
    /// Frees everything. In an unusable context that fails; the process frees it at its end.
    fn drop(&mut self) {
        for surface in &self.surfaces {
            let _ = self.driver.destroy_surface(*surface);
        }
        for texture in &self.textures {
            let _ = self.driver.destroy_texture(*texture);
        }
        for array in self.arrays.iter().chain(&self.images) {
            let _ = self.driver.destroy(*array);
        }
        for buffer in &self.buffers {
            let _ = match &buffer.place {
                Place::Device(base) => self.driver.free(*base),
                Place::Host(mapped) => self.driver.unmap(mapped),
            };
        }
    }
}

impl Stop {
    fn refused(message: impl Into<String>) -> Self {
        Self::Rejected { stage: "launch", message: message.into(), calls: Calls::default() }
    }

    /// The same, with the results of the calls.
    fn after(self, calls: Calls) -> Self {
        match self {
            Self::Rejected { stage, message, .. } => Self::Rejected { stage, message, calls },
            other => other,
        }
    }

    /// The same, with the readable memory.
    fn showing(self, left: Option<State>) -> Self {
        match self {
            Self::Ended { ending, code, calls, .. } => Self::Ended { ending, code, calls, state: left },
            other => other,
        }
    }

    fn of(refusal: Refusal, stage: &'static str) -> Self {
        match refusal.is_inability() {
            true => Self::Unsupported(refusal.to_string()),
            false => Self::Rejected { stage, message: refusal.to_string(), calls: Calls::default() },
        }
    }

    fn of_image(refusal: Refusal, noun: &str, surface: &Surface) -> Self {
        let Surface { name, geometry, extent: [x, y, z], layers, format, .. } = surface;
        let words =
            format!("{noun} `{name}` ({geometry:?} of {x}x{y}x{z}, {layers} layers, {format}): {refusal}");
        match refusal.is_inability() {
            true => Self::Unsupported(words),
            false => Self::refused(words),
        }
    }

    fn observed(self) -> Observation {
        match self {
            Self::Unsupported(what) => Observation::Unsupported { what },
            Self::Rejected { stage, message, calls } => {
                Observation::Rejected { stage: stage.into(), message, calls }
            }
            Self::Ended { ending: Ending::TimedOut, calls, .. } => Observation::TimedOut { calls },
            Self::Ended { ending: Ending::Fault(class), code, calls, state } => {
                Observation::Faulted { class, code, thread: None, state, calls }
            }
        }
    }
}
