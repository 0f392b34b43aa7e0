//! Several programs in one module, as a driver's compiler takes most of its time to start: which may share one, and their renamed
//! parts.
//!
//! Sharing a module must not change what a program does. A suffix makes every name of module scope unique. A program whose memory
//! outlives a launch (a `.global` variable, a reference that the launch does not bind) stands in the module once per launch, so
//! that each launch finds a fresh copy; the driver could not reset variables that it does not name. The sizes of `.const` and
//! static `.shared` memory are summed and bounded. Programs stand alone that have directives for the whole module or external
//! symbols, or that our front end rejects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;

use rayon::prelude::*;
use warpdiff_model::Launch;
use warpdiff_ptx::ast::{self, Item, Linkage};
use warpdiff_ptx::vocabulary::Space;
use warpdiff_ptx::{Dialect, Rules, check, parse, print_body_renamed};

use super::launch_answer::WorkerLaunch;
use crate::batch::Batch;

/// Least number of entries in a module, where there are enough; a module has fewer than twice as many.
const ENTRIES: usize = 100;
/// Limit of a module's text in bytes, unless a single program is longer.
const TEXT: usize = 2 << 20;
/// Limit of a module's `.const` variables in bytes; 64 KiB are permitted, alignment included.
const CONSTANTS: u64 = 32 << 10;
/// Limit of a module's static `.shared` variables in bytes. A kernel has 48 KiB for those it uses, but an implementation may count
/// all of the module.
const SHARED: u64 = 16 << 10;
/// Limit of dynamic shared memory of a launch in a shared module, in bytes: the rest of 48 KiB.
const DYNAMIC: u32 = 32 << 10;
/// Start of every suffix. A program that contains it does not share a module.
const SUFFIX: &str = "__wdm";
/// Words in the place of a name that are not names.
const RESERVED: [&str; 3] = ["generic", "WARP_SZ", "_"];

/// A program that may share a module.
#[derive(Debug)]
pub(super) struct Part {
    tree: ast::Module,
    head: Head,
    /// Names of module scope.
    names: BTreeSet<String>,
    /// Its surface, texture and sampler references.
    references: BTreeSet<String>,
    entries: usize,
    /// Whether it has `.global` variables, which keep their values after a launch.
    remembers: bool,
    constants: u64,
    shared: u64,
}

/// Directives that all programs of a module must share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    version: (u32, u32),
    target: Vec<String>,
    address_size: Option<u64>,
}

/// A module of several programs, and the program that each launch runs.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) text: String,
    /// Programs in it.
    pub(super) programs: usize,
    /// By index of the launch: the number of its program, from which [`suffix`] makes the suffix of its names.
    pub(super) members: HashMap<usize, usize>,
}

/// Suffix of the names of a program in a module.
pub(super) fn suffix(member: usize) -> String {
    format!("{SUFFIX}{member}")
}

impl Part {
    /// The program, rewritten by `fitting`, as part of a module; `None` if it has to stand alone.
    fn of(text: &str, fitting: Fitting<'_>) -> Option<Self> {
        let text = &*fitting(text)?;
        if text.contains(SUFFIX) {
            return None;
        }
        let tree = parse(text).ok()?;
        let rules = Rules { dialect: Dialect::Ptxas(12, 9), ..Rules::default() };
        let checked = check(text, &tree, &rules).ok()?;
        let head = Head::of(&tree)?;
        let names = names(&tree)?;
        if checked.functions.iter().any(|function| function.external) {
            return None;
        }
        let at_module_scope = checked.variables.iter().filter(|variable| variable.scope.is_none());
        let opaque = at_module_scope.filter(|variable| variable.is_opaque());
        let references = opaque.map(|variable| variable.name.clone()).collect();
        let in_global = |variable: &&warpdiff_ptx::checked::Variable| variable.space == Space::Global;
        let size =
            |space| checked.variables.iter().filter(|v| v.space == space).map(|v| v.size + v.align).sum();
        Some(Self {
            head,
            names,
            references,
            entries: checked.functions.iter().filter(|function| function.entry).count(),
            remembers: checked.variables.iter().filter(in_global).any(|variable| !variable.is_opaque()),
            constants: size(Space::Const),
            shared: size(Space::Shared),
            tree,
        })
    }

    /// Whether this launch can see nothing of an earlier launch of the program.
    fn is_fresh_for(&self, launch: &Launch) -> bool {
        let images = || launch.surfaces.iter().chain(launch.textures.iter().map(|texture| &texture.image));
        let bound = |name: &String| images().any(|image| image.bound_to.as_ref() == Some(name));
        !self.remembers && self.references.iter().all(bound)
    }

    /// Its text, with the suffix at every name of module scope.
    fn renamed(&self, suffix: &str) -> String {
        let rename = |name: &str| self.names.contains(name).then(|| format!("{name}{suffix}"));
        print_body_renamed(&self.tree, &rename)
    }
}

impl Head {
    fn of(tree: &ast::Module) -> Option<Self> {
        let mut head = Self { version: (0, 0), target: Vec::new(), address_size: None };
        for item in &tree.items {
            match item {
                Item::Version { major, minor, .. } => head.version = (*major, *minor),
                Item::Target { words, .. } => {
                    head.target.extend(words.iter().map(|word| tree.text_of(*word).to_owned()))
                }
                Item::AddressSize { bits, .. } => head.address_size = Some(*bits),
                _ => {}
            }
        }
        let once = |is: fn(&Item) -> bool| tree.items.iter().filter(|item| is(item)).count() == 1;
        let plain = once(|item| matches!(item, Item::Version { .. }))
            && once(|item| matches!(item, Item::Target { .. }));
        plain.then_some(head)
    }

    fn text(&self) -> String {
        let mut text =
            format!(".version {}.{}\n.target {}\n", self.version.0, self.version.1, self.target.join(", "));
        if let Some(bits) = self.address_size {
            let _ = writeln!(text, ".address_size {bits}");
        }
        text
    }
}

/// The names of module scope; `None` where an item of module scope cannot be shared.
fn names(tree: &ast::Module) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for item in &tree.items {
        match item {
            Item::Version { .. } | Item::Target { .. } | Item::AddressSize { .. } => {}
            Item::Declaration(declaration) => {
                let external = declaration.linkage.iter().any(|(linkage, _)| *linkage == Linkage::Extern);
                if external && declaration.space != Space::Shared {
                    return None;
                }
                // `x<3>` declares `x0`, `x1` and `x2`, by which the body refers to them: a suffix would come between.
                if declaration.declarators.iter().any(|d| d.count.is_some()) {
                    return None;
                }
                names.extend(declaration.declarators.iter().map(|d| tree.text_of(d.name).to_owned()));
            }
            Item::Function(function) => drop(names.insert(tree.text_of(function.name).to_owned())),
            Item::Alias { name, .. } => drop(names.insert(tree.text_of(*name).to_owned())),
            Item::Raw(_) | Item::Section(_) => return None,
        }
    }
    (!RESERVED.iter().any(|word| names.contains(*word))).then_some(names)
}

/// The program as a target rewrites it before loading; `None` for a program that it does not load.
pub(super) type Fitting<'f> = &'f (dyn for<'t> Fn(&'t str) -> Option<Cow<'t, str>> + Send + Sync);

/// For each launch its program, if that may share a module. Programs are rewritten first: two with different targets may then have
/// the same one, and a program that cannot be loaded would fail the whole module.
pub(super) fn parts(asked: &[WorkerLaunch<'_>], fitting: Fitting<'_>) -> Vec<Option<Arc<Part>>> {
    // After a fault the worker is replaced, and the module would have to be compiled again for the others.
    let stays = |asked: &WorkerLaunch<'_>| !asked.alone && !asked.may_fault;
    let shareable = |asked: &&WorkerLaunch<'_>| stays(asked) && asked.launch.dynamic_shared <= DYNAMIC;
    let texts: BTreeSet<&str> = asked.iter().filter(shareable).map(|asked| &*asked.launch.program).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let parts = texts.par_iter().map(|text| (*text, Part::of(text, fitting).map(Arc::new)));
    let parts: HashMap<&str, Option<Arc<Part>>> = parts.collect();
    let of = |asked: &WorkerLaunch<'_>| parts.get(&*asked.launch.program).cloned().flatten();
    asked.iter().map(|asked| if shareable(&asked) { of(asked) } else { None }).collect()
}

/// A program for a module, with its launches.
struct Member<'p> {
    part: &'p Part,
    launches: Vec<usize>,
}

/// The programs of these launches: each once, or once per launch where it is not fresh for the next.
fn members<'p>(
    launches: impl IntoIterator<Item = usize>,
    asked: &[WorkerLaunch<'_>],
    parts: &'p [Option<Arc<Part>>],
) -> Vec<Member<'p>> {
    let mut members: Vec<Member<'p>> = Vec::new();
    let mut known: HashMap<*const Part, usize> = HashMap::new();
    for index in launches {
        let Some(part) = &parts[index] else { continue };
        let fresh = part.is_fresh_for(asked[index].launch);
        match known.get(&Arc::as_ptr(part)).filter(|_| fresh) {
            Some(place) => members[*place].launches.push(index),
            None => {
                if fresh {
                    known.insert(Arc::as_ptr(part), members.len());
                }
                members.push(Member { part, launches: vec![index] });
            }
        }
    }
    members
}

/// Batches of launches whose programs share a module, one module each. Launches without a part are left out.
pub(super) fn batches(asked: &[WorkerLaunch<'_>], parts: &[Option<Arc<Part>>]) -> VecDeque<Batch> {
    let mut heads: BTreeMap<&Head, Vec<Member<'_>>> = BTreeMap::new();
    for member in members(0..asked.len(), asked, parts) {
        heads.entry(&member.part.head).or_default().push(member);
    }
    heads.into_values().flat_map(fill).collect()
}

/// Distributes programs with the same head evenly over modules.
fn fill(members: Vec<Member<'_>>) -> Vec<Batch> {
    let entries: usize = members.iter().map(|member| member.part.entries).sum();
    let modules = (entries / ENTRIES).max(1);
    let enough = entries.div_ceil(modules);
    let mut batches = Vec::new();
    let mut launches = VecDeque::new();
    let (mut entries, mut text, mut constants, mut shared) = (0, 0, 0, 0);
    for member in members {
        let part = member.part;
        let full = entries >= enough
            || text + part.tree.text.len() > TEXT
            || constants + part.constants > CONSTANTS
            || shared + part.shared > SHARED;
        if full && !launches.is_empty() {
            batches.push(Batch::of_module(std::mem::take(&mut launches)));
            (entries, text, constants, shared) = (0, 0, 0, 0);
        }
        entries += part.entries;
        text += part.tree.text.len();
        constants += part.constants;
        shared += part.shared;
        launches.extend(member.launches);
    }
    if !launches.is_empty() {
        batches.push(Batch::of_module(launches));
    }
    batches
}

impl Module {
    /// One module for these launches; `None` if they have a single program.
    pub(super) fn of(
        launches: &VecDeque<usize>,
        asked: &[WorkerLaunch<'_>],
        parts: &[Option<Arc<Part>>],
    ) -> Option<Self> {
        let members = members(launches.iter().copied(), asked, parts);
        let [first, _, ..] = members.as_slice() else { return None };
        let mut module =
            Self { text: first.part.head.text(), programs: members.len(), members: HashMap::new() };
        for (place, member) in members.iter().enumerate() {
            module.text.push('\n');
            module.text.push_str(&member.part.renamed(&suffix(place)));
            module.members.extend(member.launches.iter().map(|index| (*index, place)));
        }
        Some(module)
    }
}

#[cfg(test)]
mod tests {
    use warpdiff_model::{Format, Geometry, Surface};

    use super::*;

    fn program(declarations: &str, body: &str) -> String {
        format!(
            ".version 8.0\n.target sm_50\n.address_size 64\n{declarations}\n.visible .entry k() {{ .reg .b32 %r; {body} ret; }}\n"
        )
    }

    fn launch(text: &str) -> Launch {
        Launch::new(text.into(), "k")
    }

    fn as_it_is(text: &str) -> Option<Cow<'_, str>> {
        Some(text.into())
    }

    /// The batches of these launches, each a list of launches.
    fn planned(launches: &[Launch]) -> Vec<Vec<usize>> {
        let asked: Vec<_> = launches.iter().map(|launch| WorkerLaunch::new("", launch)).collect();
        batches(&asked, &parts(&asked, &as_it_is)).into_iter().map(|batch| batch.launches.into()).collect()
    }

    fn module(launches: &[Launch]) -> Option<Module> {
        let asked: Vec<_> = launches.iter().map(|launch| WorkerLaunch::new("", launch)).collect();
        Module::of(&(0..launches.len()).collect(), &asked, &parts(&asked, &as_it_is))
    }

    #[test]
    fn a_module_of_several_programs_is_legal_and_has_all_their_names() {
        let one = program(".global .u32 x = 1; .const .u32 c = 2;", "ld.const.u32 %r, [c];");
        let other = program(".global .u64 x = 3; .global .u64 p = x;", "mov.u32 %r, 7;");
        let module = module(&[launch(&one), launch(&other)]).unwrap();
        assert_eq!(module.programs, 2);
        let checked = warpdiff_ptx::compile(&module.text, &Rules::default()).unwrap();
        let kernels: Vec<_> = checked.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(kernels, ["k__wdm0", "k__wdm1"]);
        let sizes: Vec<_> = checked.variables.iter().map(|v| (v.name.as_str(), v.size)).collect();
        assert_eq!(sizes, [("x__wdm0", 4), ("c__wdm0", 4), ("x__wdm1", 8), ("p__wdm1", 8)]);
    }

    #[test]
    fn a_program_is_there_once_unless_something_of_it_lasts() {
        let members = |text: &str| {
            module(&[launch(text), launch(text), launch(&program("", "exit;"))]).unwrap().programs
        };
        assert_eq!(members(&program("", "")), 2);
        assert_eq!(members(&program(".const .u32 c = 1;", "")), 2);
        assert_eq!(members(&program(".global .u32 x;", "")), 3);
        // A variable of a function lasts as long as its module, too.
        assert_eq!(members(&program("", ".global .u32 x;")), 3);
        assert_eq!(members(&program(".global .surfref s;", "")), 3);
        // What each launch binds anew holds nothing of the one before.
        let text = program(".global .surfref s;", "");
        let mut bound = launch(&text);
        bound.surfaces.push(Surface {
            name: "s".into(),
            geometry: Geometry::D1,
            extent: [1; 3],
            layers: 1,
            format: "u32".parse::<Format>().unwrap(),
            bytes: vec![0; 4],
            bound_to: Some("s".into()),
        });
        let launches = [bound.clone(), bound.clone(), launch(&program("", ""))];
        assert_eq!(module(&launches).unwrap().programs, 2);
        assert!(module(&[bound.clone(), bound]).is_none(), "one program alone is no module");
    }

    #[test]
    fn programs_that_others_could_notice_stand_alone() {
        let alone = |text: &str| Part::of(text, &as_it_is).is_none();
        assert!(!alone(&program(".extern .shared .b8 dynamic[];", "")));
        assert!(alone(&program(".extern .func f;", "")));
        assert!(alone(&program(".extern .global .u32 x;", "")));
        assert!(alone(&program(".pragma \"nounroll\";", "")));
        assert!(alone(&program(".global .u32 x__wdm3;", "")));
        assert!(alone(&program(".global .u32 generic;", "")));
        assert!(alone(&program(".global .u32 x<3>;", "ld.global.u32 %r, [x1];")));
        assert!(alone(&program("", "no such instruction;")));
        // Nor does a launch share a module that may fault, or wants much shared memory.
        let text = program("", "");
        let mut greedy = launch(&text);
        greedy.dynamic_shared = DYNAMIC + 1;
        let usual = launch(&text);
        let plain = WorkerLaunch::new("", &usual);
        let asked = [
            WorkerLaunch { alone: true, ..plain },
            WorkerLaunch { may_fault: true, ..plain },
            WorkerLaunch::new("", &greedy),
            plain,
        ];
        let shares: Vec<_> = parts(&asked, &as_it_is).iter().map(Option::is_some).collect();
        assert_eq!(shares, [false, false, false, true]);
    }

    #[test]
    fn modules_have_a_hundred_programs_that_agree_in_their_heads() {
        let text = |n: usize| program("", &format!("mov.u32 %r, {n};"));
        let newer = |n: usize| text(n).replace("8.0", "8.1");
        let sizes =
            |launches: Vec<Launch>| -> Vec<usize> { planned(&launches).iter().map(Vec::len).collect() };
        assert_eq!(sizes((0..99).map(|n| launch(&text(n))).collect()), [99]);
        assert_eq!(sizes((0..199).map(|n| launch(&text(n))).collect()), [199]);
        assert_eq!(sizes((0..350).map(|n| launch(&text(n))).collect()), [117, 117, 116]);
        let mixed = (0..300).map(|n| launch(&if n % 3 == 0 { newer(n) } else { text(n) }));
        assert_eq!(sizes(mixed.collect()), [100, 100, 100]);
        // 300 x 1 KiB of constants fit no module of 64 KiB.
        let constants =
            (0..300).map(|n| launch(&program(&format!(".const .b8 c[1024] = {{{}}};", n % 256), "")));
        let planned = planned(&constants.collect::<Vec<_>>());
        assert!(planned.iter().all(|launches| launches.len() < 64), "{planned:?}");
        assert_eq!(planned.iter().map(Vec::len).sum::<usize>(), 300);
    }

    #[test]
    fn programs_share_a_module_as_the_target_loads_them() {
        let text = |n: usize| program("", &format!("mov.u32 %r, {n};"));
        let texts = [text(1), text(2).replace("8.0", "8.3"), text(3).replace("sm_50", "sm_90"), text(4)];
        let launches = texts.map(|text| launch(&text));
        let asked: Vec<_> = launches.iter().map(|launch| WorkerLaunch::new("", launch)).collect();
        // One that takes PTX 8.0 and sm_50 at most, and has no way to load the fourth.
        fn fitted(text: &str) -> Option<Cow<'_, str>> {
            (!text.contains("%r, 4;")).then(|| text.replace("8.3", "8.0").replace("sm_90", "sm_50").into())
        }
        let parts = parts(&asked, &fitted);
        assert_eq!(parts.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, true, false]);
        let batches = batches(&asked, &parts);
        let [batch] = &batches.into_iter().collect::<Vec<_>>()[..] else { panic!("several modules") };
        let module = Module::of(&batch.launches, &asked, &parts).unwrap();
        assert_eq!(module.programs, 3);
        assert!(module.text.starts_with(".version 8.0\n.target sm_50\n"), "{}", module.text);
        assert!(warpdiff_ptx::compile(&module.text, &Rules::default()).is_ok());
    }

    #[test]
    fn a_module_cut_in_two_has_every_launch_once() {
        let mut batch = Batch::of_module((0..7).collect());
        let rest = batch.split();
        assert_eq!(batch.launches, [0, 1, 2, 3]);
        assert_eq!(rest.launches, [4, 5, 6]);
    }
}
