//! The long form: a whole program with its grid, arguments, buffers, surfaces and expectations.

use std::sync::Arc;

use warpdiff_model::{Argument, Launch, RegionKind, Tolerance};
use warpdiff_ptx::ast::Item;
use warpdiff_ptx::checked::{Module, Variable};
use warpdiff_ptx::vocabulary::{Space, Type};

use super::kernel::ENTRY;
use super::program::Program;
use super::reader::{ErrorNoted, Fields, Read, Reader};
use super::resources::{Resources, element_type, region_type};
use super::table::{outcome, tolerance_unit};
use super::value::Element;
use super::yaml::Node;
use super::{limits, logs, managed, numbers, observations, returns, spa};
use crate::expectations::{self, StatedMemory};
use crate::plan::{Expectation, PlannedLaunch, RegionType};

/// Keys of the form besides those that every case has.
pub(crate) const KEYS: [&str; 15] = [
    "limits",
    "program",
    "file",
    "sass",
    "launch",
    "buffers",
    "surfaces",
    "textures",
    "observe",
    "managed",
    "schedules",
    "tolerance",
    "logs",
    "expect",
    "observations",
];

/// Most threads of a launch.
const MAX_THREADS: i128 = 1 << 24;

/// Reads the program under `program` or `file`; for instructions of SPA 5.0 without directives, `sass` states the resources of the
/// shader.
pub(crate) fn program(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Program> {
    let program = written(reader, fields)?;
    let Some(range) = fields.key_range("sass") else { return Ok(program) };
    if warpdiff_sass::is_spa(&program.text) {
        return reader
            .fail(&range, "`sass` is for instructions alone: this program has directives of its own");
    }
    let header = spa::header(reader, fields)?;
    Ok(program.behind(&format!("{header}\n")))
}

/// Reads the text under `program` or `file`.
fn written(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Program> {
    match (fields.get("program"), fields.get("file")) {
        (Some(node), None) => Program::of_text(reader, &reader.text(node, "`program`")?),
        (None, Some(node)) => {
            let file = numbers::named_file(reader, node)?;
            reader.spend(&node.range(), file.text.len() * 2)?;
            Ok(Program::of_file(&file))
        }
        (Some(_), Some(node)) => reader.fail(&node.range(), "a case has `program` or `file`, not both"),
        (None, None) => reader.fail(&fields.range, "this case lacks `program` or `file`"),
    }
}

/// Reads a case in long form.
pub(crate) fn launches(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<Vec<PlannedLaunch>> {
    let resources = Resources::read(reader, fields, &[])?;
    let program = program(reader, fields)?;
    if warpdiff_sass::is_spa(&program.text) {
        return spa_launch(reader, fields, program, resources);
    }
    let module = program.compile_if_supported(reader, &fields.range);
    reader.spend(&fields.range, resources.size())?;
    let mut launch = shape(reader, fields, &program, &resources, None)?;
    let Some(module) = module? else {
        return unchecked(reader, fields, program, resources, launch);
    };
    check_entry(reader, fields, &module, &launch)?;
    check_bindings(reader, fields, &module, &resources)?;
    let tolerances = tolerances(reader, fields, &resources)?;
    let logs = logs::logs(reader, fields, &resources, &launch)?;
    launch.observed_variables = observed(reader, fields, &module)?;
    launch.host_writes = managed::host_writes(reader, fields, &module)?;
    let mut expectations = Vec::new();
    if let Some(node) = fields.get("expect") {
        expectations = expected(reader, node, &resources, &launch, &module)?;
    }
    let observations = observations::read(reader, fields, &resources, None)?;
    let every_order = every_order(reader, fields)?;
    let types = types(reader, fields, &resources)?;
    launch.buffers = resources.buffers.into_iter().map(|(buffer, _)| buffer).collect();
    launch.surfaces = resources.surfaces;
    launch.textures = resources.textures;
    let planned = planned(launch, program, expectations);
    Ok(vec![PlannedLaunch { tolerances, logs, observations, types, every_order, ..planned }])
}

/// The launch of a program that the reference cannot run. What needs its declarations, a launch with variables, is not made: then there is
/// no launch.
fn unchecked(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    program: Program,
    resources: Resources,
    mut launch: Launch,
) -> Read<Vec<PlannedLaunch>> {
    check_parsed_entry(reader, fields, &program, &launch)?;
    let tolerances = tolerances(reader, fields, &resources)?;
    let expectations = match fields.get("expect") {
        Some(node) => {
            let known =
                ["memory", "image", "variables", "returns", "fault", "may-fault", "timed-out", "undefined"];
            let mut found = outcome(reader, node, &resources, &known)?;
            found.extend(returns::read(reader, node, &resources, None)?);
            found
        }
        None => Vec::new(),
    };
    let observations = observations::read(reader, fields, &resources, None)?;
    if fields.has("observe") || fields.has("managed") {
        return Ok(Vec::new());
    }
    let types = resources.types().into();
    launch.buffers = resources.buffers.into_iter().map(|(buffer, _)| buffer).collect();
    launch.surfaces = resources.surfaces;
    launch.textures = resources.textures;
    let planned = planned(launch, program, expectations);
    Ok(vec![PlannedLaunch { tolerances, observations, types, ..planned }])
}

/// Reads a case in long form with a program of SPA 5.0: one kernel, whose arguments are buffers, numbers, and handles of surfaces and textures.
fn spa_launch(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    program: Program,
    resources: Resources,
) -> Read<Vec<PlannedLaunch>> {
    for key in ["isa", "target", "observe", "managed"] {
        if let Some(range) = fields.key_range(key) {
            return reader.fail(&range, format!("a program of SPA 5.0 has no `{key}`"));
        }
    }
    if let Some(name) = resources.images().find_map(|image| image.bound_to.as_deref()) {
        return reader.fail(&fields.range, format!("a program of SPA 5.0 has no variable `{name}`"));
    }
    let checked = program.compile_spa_if_supported(reader, &fields.range);
    reader.spend(&fields.range, resources.size())?;
    let mut launch = shape(reader, fields, &program, &resources, Some(ENTRY))?;
    checked?;
    if launch.dynamic_shared != 0 {
        let range = fields.key_range("launch").unwrap_or_else(|| fields.range.clone());
        return reader.fail(&range, "a program of SPA 5.0 states its shared memory in its header");
    }
    let expectations = match fields.get("expect") {
        Some(node) => {
            let known = ["memory", "image", "returns", "fault", "may-fault", "timed-out", "undefined"];
            let mut found = outcome(reader, node, &resources, &known)?;
            found.extend(returns::read(reader, node, &resources, None)?);
            found
        }
        None => Vec::new(),
    };
    let tolerances = tolerances(reader, fields, &resources)?;
    let logs = logs::logs(reader, fields, &resources, &launch)?;
    let observations = observations::read(reader, fields, &resources, None)?;
    let every_order = every_order(reader, fields)?;
    let types = types(reader, fields, &resources)?;
    launch.buffers = resources.buffers.into_iter().map(|(buffer, _)| buffer).collect();
    launch.surfaces = resources.surfaces;
    launch.textures = resources.textures;
    let planned = planned(launch, program, expectations);
    Ok(vec![PlannedLaunch { tolerances, logs, observations, types, every_order, ..planned }])
}

/// The types of the elements of the buffers, and of the variables that `expect` states.
fn types(reader: &Reader<'_>, fields: &Fields<'_>, resources: &Resources) -> Read<Arc<[RegionType]>> {
    let mut types = resources.types();
    let expect = fields.get("expect").map(|node| reader.entries(node, "`expect`")).transpose()?;
    if let Some(node) = expect.and_then(|expect| expect.get("variables")) {
        for (key, node) in reader.entries(node, "`variables`")?.entries {
            if let Some(node) = reader.entries(node, "a variable")?.get("type") {
                let (_, element) = element_type(reader, node, "type of a variable")?;
                types.push(region_type(element, RegionKind::Variable, &key.text));
            }
        }
    }
    Ok(types.into())
}

fn planned(launch: Launch, program: Program, expectations: Vec<Expectation>) -> PlannedLaunch {
    PlannedLaunch {
        expectations: expectations.into_iter().collect(),
        ..PlannedLaunch::bare(launch, program.map)
    }
}

/// Reads the key `schedules`.
fn every_order(reader: &Reader<'_>, fields: &Fields<'_>) -> Read<bool> {
    match fields.get("schedules") {
        Some(node) => reader.one_of(node, "schedules", &[("all", true)]),
        None => Ok(false),
    }
}

/// Reads the key `launch`. Its entry may be left out where the program has one kernel without a name.
fn shape(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    program: &Program,
    resources: &Resources,
    unnamed: Option<&str>,
) -> Read<Launch> {
    let node = fields.required(reader, "launch", "this case")?;
    let known = ["entry", "grid", "block", "shared", "steps", "arguments"];
    let fields = reader.fields(node, "`launch`", &known)?;
    let entry = match (fields.get("entry"), unnamed) {
        (None, Some(name)) => name.to_owned(),
        _ => reader.word(fields.required(reader, "entry", "`launch`")?, "`entry`")?,
    };
    let mut launch = Launch::new(program.text.clone(), entry);
    if let Some(node) = fields.get("grid") {
        launch.grid = dimensions(reader, node, "`grid`", 1 << 16)?;
    }
    if let Some(node) = fields.get("block") {
        launch.block = dimensions(reader, node, "`block`", 1024)?;
    }
    let threads: i128 = launch.grid.iter().chain(&launch.block).map(|n| i128::from(*n)).product();
    if threads > MAX_THREADS {
        return reader.fail(&node.range(), format!("{threads} threads, more than {MAX_THREADS}"));
    }
    if let Some(node) = fields.get("shared") {
        launch.dynamic_shared = reader.integer(node, "`shared`", 0..=(1 << 20))? as u32;
    }
    if let Some(node) = fields.get("steps") {
        launch.step_budget = reader.integer(node, "`steps`", 1..=limits::MOST_STEPS)? as u64;
    }
    if let Some(node) = fields.get("arguments") {
        for node in reader.list(node, "`arguments`")? {
            launch.arguments.push(argument(reader, node, resources)?);
        }
    }
    Ok(launch)
}

/// One to three numbers; those left out are 1.
fn dimensions(reader: &Reader<'_>, node: &Node, what: &str, most: i128) -> Read<[u32; 3]> {
    let list = reader.list(node, what)?;
    if list.is_empty() || list.len() > 3 {
        return reader.expected(node, what, "one to three numbers");
    }
    let mut found = [1; 3];
    for (slot, node) in found.iter_mut().zip(list) {
        *slot = reader.integer(node, what, 1..=most)? as u32;
    }
    Ok(found)
}

/// An argument: `{buffer: out, offset: 4}`, `{surface: image}`, `{surfref: image}`, `{texref: image}`, `{samplerref: image}`,
/// `{texture: image}`, `{bytes: [1, 2]}` or `{u32: 5}`.
fn argument(reader: &Reader<'_>, node: &Node, resources: &Resources) -> Read<Argument> {
    let fields = reader.entries(node, "an argument")?;
    let Some((key, value)) = fields.entries.first() else {
        return reader.expected(node, "an argument", "`{u32: 5}`");
    };
    if let Some((extra, _)) =
        fields.entries.get(1).filter(|(k, _)| !(key.text == "buffer" && k.text == "offset"))
    {
        return reader.fail(&extra.range(), format!("an argument has one kind, here `{}`", key.text));
    }
    let index = |known: Vec<&str>, noun: &str| {
        let name = reader.word(value, "a name")?;
        let found = known.iter().position(|n| *n == name);
        found.ok_or_else(|| {
            reader.unknown(&value.range(), &format!("no {noun} is called `{name}`"), &name, &known)
        })
    };
    let surfaces = || resources.names(RegionKind::Surface);
    let textures = || resources.textures.iter().map(|texture| texture.image.name.as_str()).collect();
    match key.text.as_str() {
        "buffer" => {
            let index = index(resources.names(RegionKind::Buffer), "buffer")?;
            let limit = 1 << 40;
            let offset = match fields.get("offset") {
                Some(node) => reader.integer(node, "`offset`", -limit..=limit)? as i64,
                None => 0,
            };
            Ok(Argument::Buffer { index, offset })
        }
        "surface" => Ok(Argument::Surface { index: index(surfaces(), "surface")? }),
        "surfref" => Ok(Argument::SurfaceReference { index: index(surfaces(), "surface")? }),
        "texture" => Ok(Argument::Texture { index: index(textures(), "texture")? }),
        "texref" => Ok(Argument::TextureReference { index: index(textures(), "texture")? }),
        "samplerref" => Ok(Argument::SamplerReference { index: index(textures(), "texture")? }),
        "bytes" => {
            let list = reader.list(value, "`bytes`")?;
            if list.is_empty() || list.len() > 4096 {
                return reader.expected(value, "`bytes`", "1 to 4096 bytes");
            }
            let bytes =
                list.iter().map(|n| Ok(expectations::value(reader, n, Element::Unsigned(1), "a byte")?.0[0]));
            Ok(Argument::Value(bytes.collect::<Read<_>>()?))
        }
        name => match Type::from_text(name).filter(|ty| *ty != Type::Pred).and_then(Element::of_type) {
            Some(element) => {
                Ok(Argument::Value(expectations::value(reader, value, element, "an argument")?.0))
            }
            None => {
                let known = [
                    "buffer",
                    "surface",
                    "surfref",
                    "texture",
                    "texref",
                    "samplerref",
                    "bytes",
                    "u32",
                    "s32",
                    "u64",
                    "f32",
                    "f64",
                ];
                Err(reader.unknown(&key.range(), &format!("unknown kind of argument `{name}`"), name, &known))
            }
        },
    }
}

/// Checks that the entry exists and that its parameters fit the arguments.
fn check_entry(reader: &Reader<'_>, fields: &Fields<'_>, module: &Module, launch: &Launch) -> Read<()> {
    let node = fields.required(reader, "launch", "this case")?;
    let launch_fields = reader.entries(node, "`launch`")?;
    let entries: Vec<&str> = module.functions.iter().filter(|f| f.entry).map(|f| f.name.as_str()).collect();
    let Some(function) = module.functions.iter().find(|f| f.entry && f.name == launch.entry) else {
        let range = launch_fields.get("entry").map_or_else(|| node.range(), Node::range);
        let message = format!("the program has no entry `{}`", launch.entry);
        return Err(reader.unknown(&range, &message, &launch.entry, &entries));
    };
    let range = launch_fields.get("arguments").map_or_else(|| node.range(), Node::range);
    if function.parameters.len() != launch.arguments.len() {
        let error = reader.error(&range, format!("`arguments` has {} entries", launch.arguments.len()));
        let label = format!("`{}` has {} parameters", function.name, function.parameters.len());
        return Err(reader.note(error.label(label)));
    }
    for (index, (parameter, argument)) in function.parameters.iter().zip(&launch.arguments).enumerate() {
        let (size, bound) = match argument {
            Argument::Value(bytes) => (bytes.len() as u64, None),
            Argument::Buffer { .. } | Argument::Surface { .. } | Argument::Texture { .. } => (8, None),
            Argument::SurfaceReference { .. } => (0, Some(Type::Surfref)),
            Argument::TextureReference { .. } => (0, Some(Type::Texref)),
            Argument::SamplerReference { .. } => (0, Some(Type::Samplerref)),
        };
        let opaque = parameter.ty.is_opaque().then_some(parameter.ty);
        if opaque != bound || (opaque.is_none() && size != parameter.size) {
            let error =
                reader.error(&range, format!("argument {index} does not fit parameter `{}`", parameter.name));
            let label = match opaque {
                Some(ty) => format!("expected `{{{ty}: …}}`"),
                None => format!("expected {} bytes", parameter.size),
            };
            return Err(reader.note(error.label(label)));
        }
    }
    Ok(())
}

/// Checks that a program which cannot be checked as a whole has the entry, with as many parameters as there are arguments.
fn check_parsed_entry(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    program: &Program,
    launch: &Launch,
) -> Read<()> {
    let Ok(tree) = warpdiff_ptx::parse(&program.text) else { return Ok(()) };
    let node = fields.required(reader, "launch", "this case")?;
    let launch_fields = reader.entries(node, "`launch`")?;
    let entries = tree.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry => {
            let name = program.text.get(function.name.range())?;
            Some((name, function.parameters.as_ref().map_or(0, Vec::len)))
        }
        _ => None,
    });
    let entries: Vec<(&str, usize)> = entries.collect();
    let Some((_, parameters)) = entries.iter().find(|(name, _)| *name == launch.entry) else {
        let range = launch_fields.get("entry").map_or_else(|| node.range(), Node::range);
        let known: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
        let message = format!("the program has no entry `{}`", launch.entry);
        return Err(reader.unknown(&range, &message, &launch.entry, &known));
    };
    if *parameters == launch.arguments.len() {
        return Ok(());
    }
    let range = launch_fields.get("arguments").map_or_else(|| node.range(), Node::range);
    let error = reader.error(&range, format!("`arguments` has {} entries", launch.arguments.len()));
    Err(reader.note(error.label(format!("`{}` has {parameters} parameters", launch.entry))))
}

/// Every surface with `bind` must name a module-scope `.surfref`, every texture a `.texref`.
fn check_bindings(
    reader: &Reader<'_>,
    fields: &Fields<'_>,
    module: &Module,
    resources: &Resources,
) -> Read<()> {
    let surfaces: Vec<_> = resources.surfaces.iter().collect();
    let textures: Vec<_> = resources.textures.iter().map(|texture| &texture.image).collect();
    for (key, ty, images) in [("surfaces", Type::Surfref, surfaces), ("textures", Type::Texref, textures)] {
        let known: Vec<&str> =
            module.variables.iter().filter(|v| v.ty == ty).map(|v| v.name.as_str()).collect();
        for name in images.into_iter().filter_map(|image| image.bound_to.as_deref()) {
            if !known.contains(&name) {
                let range = fields.get(key).map_or_else(|| fields.range.clone(), Node::range);
                let message = format!("the program has no `.{ty}` variable `{name}`");
                return Err(reader.unknown(&range, &message, name, &known));
            }
        }
    }
    Ok(())
}

/// Reads `observe`: module-scope `.global` variables whose final bytes are compared.
fn observed(reader: &Reader<'_>, fields: &Fields<'_>, module: &Module) -> Read<Vec<String>> {
    let Some(node) = fields.get("observe") else { return Ok(Vec::new()) };
    let known: Vec<&str> = variables(module).map(|v| v.name.as_str()).collect();
    let mut names: Vec<String> = Vec::new();
    for node in reader.list(node, "`observe`")? {
        let name = reader.word(node, "a variable")?;
        if !known.contains(&name.as_str()) {
            let message = format!("the program has no `.global` variable `{name}`");
            return Err(reader.unknown(&node.range(), &message, &name, &known));
        }
        if names.contains(&name) {
            return reader.fail(&node.range(), format!("`{name}` is observed twice"));
        }
        names.push(name);
    }
    Ok(names)
}

/// The module-scope variables in `.global` that hold numbers.
pub(super) fn variables(module: &Module) -> impl Iterator<Item = &Variable> {
    module.variables.iter().filter(|v| v.scope.is_none() && v.space == Space::Global && !v.ty.is_opaque())
}

fn expected(
    reader: &Reader<'_>,
    node: &Node,
    resources: &Resources,
    launch: &Launch,
    module: &Module,
) -> Read<Vec<Expectation>> {
    let known = ["memory", "image", "variables", "returns", "fault", "may-fault", "timed-out", "undefined"];
    let mut found = outcome(reader, node, resources, &known)?;
    found.extend(returns::read(reader, node, resources, None)?);
    let Some(node) = reader.entries(node, "`expect`")?.get("variables") else { return Ok(found) };
    for (key, node) in reader.entries(node, "`variables`")?.entries {
        let Some(name) = launch.observed_variables.iter().find(|name| **name == key.text) else {
            let known: Vec<&str> = launch.observed_variables.iter().map(String::as_str).collect();
            let message = format!("`{}` is not among the variables of `observe`", key.text);
            return Err(reader.unknown(&key.range(), &message, &key.text, &known));
        };
        let variable = variables(module).find(|v| v.name == *name).ok_or(ErrorNoted)?;
        let what = format!("variable `{name}`");
        let fields = reader.fields(node, &what, &["type", "values"])?;
        let (_, element) =
            element_type(reader, fields.required(reader, "type", &what)?, "type of a variable")?;
        if variable.size % u64::from(element.size()) != 0 {
            let message = format!("{what} has {} bytes, not a whole number of elements", variable.size);
            return reader.fail(&node.range(), message);
        }
        let written = launch.host_writes.iter().find(|write| write.variable == *name);
        let (before, defined) = match written {
            Some(write) => (write.bytes.clone(), Vec::new()),
            None => initial(variable),
        };
        let memory = StatedMemory {
            kind: RegionKind::Variable,
            name: name.as_str().into(),
            element,
            before: &before,
            defined: &defined,
        };
        found.extend(memory.expectations(reader, fields.required(reader, "values", &what)?)?);
    }
    Ok(found)
}

/// The bytes of a variable before the launch, and the mask of known ones: bytes of addresses are unknown.
fn initial(variable: &Variable) -> (Vec<u8>, Vec<u8>) {
    let size = variable.size as usize;
    let mut before = variable.initial.clone();
    before.resize(size, 0);
    let mut known = vec![0xff; size];
    for relocation in &variable.relocations {
        let start = (relocation.offset as usize).min(size);
        known[start..(start + relocation.width as usize).min(size)].fill(0);
    }
    (before, known)
}

/// Reads `tolerance`: the tolerance of each buffer of floating-point numbers.
fn tolerances(reader: &Reader<'_>, fields: &Fields<'_>, resources: &Resources) -> Read<Vec<Tolerance>> {
    let Some(node) = fields.get("tolerance") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, node) in reader.entries(node, "`tolerance`")?.entries {
        let Some(region) = resources.buffers.iter().position(|(b, _)| b.name == key.text) else {
            let known = resources.names(RegionKind::Buffer);
            let message = format!("no buffer is called `{}`", key.text);
            return Err(reader.unknown(&key.range(), &message, &key.text, &known));
        };
        let element = resources.buffers[region].1;
        let unit = tolerance_unit(reader, node, element, &key.range())?;
        let size = element.size() as usize;
        found.push(Tolerance { region, offset: 0, stride: size, size, unit });
    }
    Ok(found)
}
