//! Specimen → program and launch. The program is text, or of PTX a module as the checker makes it of that text.
//!
//! Each thread has a record of 8-byte slots in the buffer `in` (one per input column) and in the buffer `out` (one per result),
//! and 64 bytes per state space in the buffer `memory`. Windows of `.shared` and `.local` are filled from `memory`
//! before the first step and copied back after the last one.

use std::sync::{Arc, LazyLock};

use warpdiff_model::{Argument, Buffer, ChannelType, Format, Geometry, Launch, Surface, Texture};
use warpdiff_ptx::checked::Module;

use crate::body;
use crate::image::Reach;
use crate::module::Opcodes;
pub use crate::places::{ENTRY, Places, SLOT};
use crate::specimen::{Beside, Image, Language, Object, Side, Specimen, WINDOW};

/// Thread-instructions after which a specimen counts as timed out: a few hundred instructions, some of them in loops of a few runs, never get there.
const STEP_BUDGET: u64 = 1 << 18;

/// A specimen as a target takes it.
#[derive(Clone, Debug)]
pub struct Written {
    /// The launch, with the program text, if there is one.
    pub launch: Launch,
    /// Where what stands.
    pub places: Places,
}

impl Specimen {
    /// Writes the program and the launch.
    pub fn write(&self) -> Written {
        let (text, places) = match self.language {
            Language::Ptx => crate::text::program(self),
            Language::Spa { scheduled, has_ptx } => {
                let (text, steps, slots) = crate::spa::program(self, scheduled, has_ptx);
                (text, Places { slots, steps })
            }
        };
        let launch = self.launch(Arc::from(text), places.slots.len());
        Written { launch, places }
    }

    /// The launch without a text, and the module that the checker would make of the text; `None` where only the text will do. No step stands
    /// in a text.
    pub fn module(&self, opcodes: &Opcodes) -> Option<(Module, Written)> {
        static NO_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));
        let (module, places) = opcodes.module(self)?;
        let launch = self.launch(Arc::clone(&NO_TEXT), places.slots.len());
        Some((module, Written { launch, places }))
    }

    fn launch(&self, program: Arc<str>, slots: usize) -> Launch {
        let mut launch = Launch::new(program, ENTRY);
        launch.grid = [self.ctas, 1, 1];
        launch.block = [self.block(), 1, 1];
        launch.step_budget = STEP_BUDGET;
        self.bind(&mut launch, slots);
        launch
    }

    fn bind(&self, launch: &mut Launch, slots: usize) {
        let threads = self.threads as usize;
        let columns = self.loaded_inputs().count();
        let mut input = Vec::with_capacity(threads * columns * SLOT);
        for thread in 0..threads {
            for column in self.loaded_inputs() {
                input.extend_from_slice(&column.values[thread].to_le_bytes());
            }
        }
        let buffers = [
            ("in", input, columns * SLOT),
            ("out", vec![0; threads * slots * SLOT], slots * SLOT),
            ("memory", self.memory.clone(), Self::MEMORY_STRIDE),
        ];
        for (name, bytes, stride) in buffers {
            if bytes.is_empty() {
                continue;
            }
            launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
            let mut buffer = Buffer::new(name, bytes);
            // An access of a specimen never leaves its window by more than a window.
            buffer.guard = WINDOW as u32;
            buffer.stride = stride as u32;
            launch.buffers.push(buffer);
        }
        for side in [Side::Source, Side::Sink] {
            let Some(image) = self.image(side) else { continue };
            let index = launch.surfaces.len();
            launch.arguments.extend(match image.reach {
                Reach::Handle => Some(Argument::Surface { index }),
                Reach::Parameter => Some(Argument::SurfaceReference { index }),
                Reach::Variable | Reach::Pointer => None,
            });
            launch.surfaces.push(surface(image, Object::Image(side).name()));
        }
        if let Some(picture) = &self.picture {
            let index = launch.textures.len();
            launch.arguments.extend(match picture.image.reach {
                Reach::Handle => Some(Argument::Texture { index }),
                Reach::Parameter => Some(Argument::TextureReference { index }),
                Reach::Variable | Reach::Pointer => None,
            });
            let image = surface(&picture.image, Object::Picture.name());
            launch.textures.push(Texture { image, sampler: picture.sampler });
        }
        if !self.common.is_empty() {
            launch.arguments.push(Argument::Buffer { index: launch.buffers.len(), offset: 0 });
            let mut buffer = Buffer::new("common", self.common.clone());
            buffer.guard = WINDOW as u32;
            launch.buffers.push(buffer);
        }
        let beside = self.picture.as_ref().and_then(|picture| picture.beside);
        if let Some(beside) = beside.filter(|beside| beside.reach.is_parameter()) {
            launch.arguments.push(Argument::SamplerReference { index: launch.textures.len() });
            launch.textures.push(sampler(&beside));
        }
        for (_, table) in body::parameter_tables(self) {
            launch.arguments.push(Argument::Value(table.bytes.clone()));
        }
        let constants = self.machine_constants().map(|value| Argument::Value(value.to_le_bytes().to_vec()));
        launch.arguments.extend(constants);
    }
}

/// A texture of which nothing but the sampler is used.
fn sampler(beside: &Beside) -> Texture {
    let format = Format { channel: ChannelType::F32, channels: 1 };
    let image = Surface {
        name: Object::Sampler.name().into(),
        geometry: Geometry::D1,
        extent: [1, 1, 1],
        layers: 1,
        format,
        bytes: vec![0; format.texel_size() as usize],
        bound_to: None,
    };
    Texture { image, sampler: beside.of_host() }
}

fn surface(image: &Image, name: &str) -> Surface {
    Surface {
        name: name.into(),
        geometry: image.geometry,
        extent: [image.width, image.height, image.depth],
        layers: image.layers,
        format: image.format,
        bytes: image.bytes.clone(),
        bound_to: image.reach.is_variable().then(|| name.into()),
    }
}
