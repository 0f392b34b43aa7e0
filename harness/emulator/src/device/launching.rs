//! A launch on a device: what it finds in the memory of the device, how it runs, and what it leaves there.

use warpdiff_model::alternatives::Consulted;
use warpdiff_model::finding::Findings;
use warpdiff_model::{Argument, Deviation, Fault, Launch, Semantics};
use warpdiff_races::contention::Contention;
use warpdiff_semantics::printed::Printed;

use super::{Device, Loaded, constant_bank};
use crate::Schedule;
use crate::address_space::slots;
use crate::decoded::Decoded;
use crate::launch::binder::{Bound, bind_arguments, mix_up_references};
use crate::launch::constant_memory::BoundCode;
use crate::launch::descriptors::{Described, Images, TableAddresses};
use crate::launch::validation::{LaunchError, check_dimensions, check_memory, error, find_kernel, threads};
use crate::machine::{Machine, Stop, Traced, Untracked, clocks};
use crate::memory::{Allocation, Memory};
use crate::program::Program;
use warpdiff_semantics::opaque::{BoundTexture, Headers, OpaqueBindings, handle, number};

/// The number of the bank of the user's `.const` variables.
const CONSTANTS: u8 = 3;

/// The result of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ran to its end.
    Completed,
    /// The launch faulted; the first fault is the one a device would report. Memory is in its state at the fault.
    Faulted(Vec<Fault>),
    /// Its step budget ran out, or no thread can go on.
    TimedOut,
    /// It did something of which the specification does not say what it does, and ended there.
    Unspecified {
        /// What.
        what: String,
    },
}

/// What a launch did.
#[derive(Clone, Debug)]
pub struct Launched {
    /// How it ended.
    pub ending: Ending,
    /// What it printed.
    pub printed: Printed,
    /// What it did wrong, on a device that watches.
    pub findings: Findings,
}

/// Of each of these names what the launch binds to it.
fn of_names<T: Copy>(names: &[String], all: &[String], bound: &[Option<T>]) -> Vec<Option<T>> {
    let of = |name: &String| bound.get(all.iter().position(|other| other == name)?).copied().flatten();
    names.iter().map(of).collect()
}

impl Device {
    /// Runs a launch of a loaded module to its end.
    ///
    /// Buffers, surfaces, textures and variables of `launch` must be empty: memory is the device's. A
    /// [`warpdiff_model::Argument::SurfaceReference`] names an array of the device; a texture or sampler reference is an index from
    /// [`Device::texture_index`]. `bindings` has the array bound to each of [`Loaded::surface_variables`], `texture_bindings` the
    /// texture bound to each of [`Loaded::texture_variables`].
    ///
    /// # Errors
    /// Any error a driver would report: an unknown entry, wrong arguments, too large a block.
    pub fn launch(
        &mut self,
        loaded: &Loaded,
        launch: &Launch,
        bindings: Vec<Option<usize>>,
        texture_bindings: Vec<Option<BoundTexture>>,
        semantics: &Semantics,
    ) -> Result<Launched, LaunchError> {
        let brings = [!launch.surfaces.is_empty(), !launch.textures.is_empty(), !launch.buffers.is_empty()];
        let concerns = !launch.observed_variables.is_empty() || !launch.host_writes.is_empty();
        if brings.contains(&true) || concerns {
            return error("a launch on a device brings no memory of its own");
        }
        let program = loaded.program(&launch.entry);
        let code = program.decoded(semantics);
        let mut bindings = of_names(&code.surface_variables, &loaded.surface_variables(), &bindings);
        let texture_bindings =
            of_names(&code.texture_variables, &loaded.texture_variables(), &texture_bindings);
        let entry = find_kernel(program, &launch.entry)?;
        let function = &program.module().functions[entry];
        check_dimensions(function, &code, launch, program.is_spa())?;
        let watches = self.watches;
        check_memory(entry, &code, launch, watches)?;
        let (mut parameters, mut opaque_parameters) =
            bind_arguments(function, &code, launch, self.arrays.len(), &self.textures, watches)?;
        if semantics.has(Deviation::SurfaceFirstReference) {
            mix_up_references(&mut bindings, &mut opaque_parameters);
        }
        let mut headers = Headers::default();
        if program.is_spa() {
            headers = Headers::new([
                self.handles.len(),
                bindings.len(),
                texture_bindings.len(),
                code.samplers.len(),
                opaque_parameters.len(),
            ]);
        }
        // The tables are lent to the machine, not copied: there may be many handles.
        let handles = std::mem::take(&mut self.handles);
        let textures = std::mem::take(&mut self.textures);
        let opaque = OpaqueBindings {
            handles,
            textures,
            bindings,
            texture_bindings,
            parameters: opaque_parameters,
            headers,
        };
        let own = self.allocations.len();
        if let Some(banks) = program.banks() {
            let launch = &self.with_handles(launch, &opaque);
            let formal = &function.parameters;
            let code = &*code;
            let mut tables = TableAddresses::default();
            if banks.reads_tables {
                // They lie behind the memory of the device, for this launch.
                let images = Images::OfDevice(&self.arrays);
                let described = Described { images, opaque: &opaque, samplers: &code.samplers, semantics };
                let independent = program.module().texmode_independent;
                let made = described.tables(&headers, independent, own, watches);
                match made {
                    Ok((memory, addresses)) if own as u64 + slots::FIRST < slots::LIMIT => {
                        self.allocations.push(memory);
                        tables = addresses;
                    }
                    made => {
                        (self.handles, self.textures) = (opaque.handles, opaque.textures);
                        return match made {
                            Err(why) => Err(why),
                            Ok(_) => error("a device that is full has no room for the tables of textures"),
                        };
                    }
                }
            }
            parameters = BoundCode { banks, code, launch, formal, opaque: &opaque, tables }
                .constant_memory(&parameters, watches);
            self.copy_constants(program, code, &mut parameters);
        }
        let mut memory = Memory {
            globals: std::mem::take(&mut self.allocations),
            parameters,
            surfaces: std::mem::take(&mut self.arrays),
        };
        if watches && threads(launch) > 1 {
            memory.report_races();
        }
        let forgets = semantics.has(Deviation::AtomicsNotWrittenBack) && !code.stores(entry);
        let before = forgets.then(|| memory.globals.iter().map(|of| of.data.clone()).collect::<Vec<_>>());
        let bound = Bound { entry: entry as u32, memory, opaque };
        let records = (clocks(launch, watches), Contention::default(), Consulted::default());
        let mut machine =
            Machine::new(program, &code, launch, semantics, Schedule::default(), bound, records);
        if watches {
            machine.watch = Some(Box::default());
            machine.run_grid::<Traced>();
        } else {
            machine.run_grid::<Untracked>();
        }
        let faults = std::mem::take(&mut machine.faults);
        let ending = match machine.stop.take() {
            _ if !faults.is_empty() => Ending::Faulted(faults),
            Some(Stop::TimedOut) => Ending::TimedOut,
            Some(Stop::Indeterminate { place, origin }) => {
                Ending::Unspecified { what: format!("{place} {origin}") }
            }
            None => Ending::Completed,
        };
        let printed = std::mem::take(&mut machine.printed);
        let findings = machine.watch.take().map(|watch| watch.findings).unwrap_or_default();
        self.allocations = machine.memory.globals;
        self.allocations.truncate(own);
        let variables = code.first_slot as usize..code.first_slot as usize + code.globals.len();
        let buffers = self.allocations.iter_mut().zip(before.into_iter().flatten()).enumerate();
        buffers.filter(|(slot, _)| !variables.contains(slot)).for_each(|(_, (of, bytes))| of.data = bytes);
        self.arrays = machine.memory.surfaces;
        (self.handles, self.textures) = (machine.opaque.handles, machine.opaque.textures);
        if watches {
            let texels = self.arrays.iter_mut().map(|array| &mut array.texels);
            self.allocations.iter_mut().chain(texels).for_each(Allocation::forget_launch);
        }
        Ok(Launched { ending, printed, findings })
    }
}

impl Device {
    /// A launch of machine code, which names surfaces and textures by headers: an argument that is a handle of one is its header.
    fn with_handles(&self, launch: &Launch, opaque: &OpaqueBindings) -> Launch {
        let exists = |index: usize| {
            opaque.handles.get(index).is_some_and(Option::is_some)
                || opaque.textures.get(index).is_some_and(Option::is_some)
        };
        let mut launch = launch.clone();
        for argument in &mut launch.arguments {
            let Argument::Value(bytes) = &*argument else { continue };
            let Ok(bytes) = <[u8; 8]>::try_from(bytes.as_slice()) else { continue };
            let (value, index) = (u64::from_le_bytes(bytes), number(u64::from_le_bytes(bytes)));
            if exists(index) && handle(index) == value {
                *argument = Argument::Surface { index };
            }
        }
        launch
    }

    /// Copies the user's `.const` variables, which the host may have written since the cubin was loaded, into their bank.
    fn copy_constants(&self, program: &Program, code: &Decoded, memory: &mut Allocation) {
        let Some(address) = constant_bank(program, code) else { return };
        let Some(range) = program.banks().and_then(|banks| banks.range(CONSTANTS)) else { return };
        let (start, end) = (range.start as usize, range.end as usize);
        let Some((slot, 0)) = self.find(address) else { return };
        let variables = &self.allocations[slot].data;
        let length = variables.len().min(end - start);
        memory.data[start..start + length].copy_from_slice(&variables[..length]);
        if let Some(bytes) = memory.defined.get_mut(start..start + length) {
            bytes.fill(0xFF);
        }
    }
}
