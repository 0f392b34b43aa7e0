//! A warp: which lanes diverge, where they join again, and which run next.
//!
//! A group is a set of lanes with the same program counter and the same calls. The group deepest in calls runs first; among equals,
//! the one with the lowest program counter. Lanes that are ahead therefore wait for the others where their paths meet, and merge
//! with them there. Looping lanes are interrupted after [`PATIENCE`] backward branches so that the others can run.

use super::Tracking;
use super::scoreboard::pending::Scoreboard;
use super::seen::{Scheduling, Seen};
use crate::Unwritten;
use crate::decoded::{Constants, Decoded, NarrowConstant, WideConstant};
use crate::memory::Allocation;
use crate::operation::{Class, Slot};
use crate::registers::{FileSizes, LANES, Narrow, Origin, Registers, Rows, Shade, all_bits, lanes};

/// Maximum backward branches of a group while another one could run.
const PATIENCE: u32 = 256;
/// The same in machine code. There lanes that have taken back an entry of their stack wait for those that have not, however long
/// these loop: compilers rely on it where they place `SHFL` and `VOTE` behind loops. A lane that spins on a lock would starve the
/// lane that holds it, if nothing ever ended its turn.
const PATIENCE_OF_MACHINE_CODE: u32 = 1 << 12;

/// No program counter: there is no group to wait for.
pub(crate) const NEVER: u32 = u32::MAX;

/// Why a group does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It can.
    Ready,
    /// At a barrier of the block, until its generation has passed.
    Barrier {
        /// The barrier.
        id: u8,
        /// The generation waited for.
        generation: u32,
    },
    /// At an operation of the warp, for the other members.
    Members,
}

/// A set of converged lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    /// Index into [`Warp::frames`].
    pub(crate) frame: u32,
    pub(crate) wait: Wait,
}

/// A call frame. Equal chains of calls are one frame, so groups with the same calls have the same index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The caller's frame; its own index for the kernel's.
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    pub(crate) function: u32,
    /// Operation of the call; [`NEVER`] for the kernel.
    pub(crate) call: u32,
    /// Base of its registers.
    pub(crate) bases: FileSizes,
    /// Base of its local memory.
    pub(crate) local: u32,
    /// The entry of the stack of machine code that it stands for. Such a frame has the registers of its parent.
    pub(crate) entry: Option<Entry>,
    /// The most recently called frame, and the sibling called before this frame.
    pub(crate) child: u32,
    pub(crate) sibling: u32,
}

impl Frame {
    /// The frame of a kernel, whose registers begin behind the `constants`.
    fn of_kernel(function: u32, constants: FileSizes) -> Self {
        Self {
            parent: 0,
            depth: 0,
            function,
            call: NEVER,
            bases: constants,
            local: 0,
            entry: None,
            child: NEVER,
            sibling: NEVER,
        }
    }
}

/// An entry of the stack of machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its kind: [`crate::operation::Pushed`] as u32.
    pub(crate) kind: u32,
    /// Where the operation that takes it back goes.
    pub(crate) target: u32,
}

/// A warp.
pub(crate) struct Warp {
    /// Number in its block.
    pub(crate) index: u32,
    /// Index of its block in the grid.
    pub(crate) block_index: [u32; 3],
    pub(crate) registers: Registers,
    /// The frame that runs.
    pub(crate) rows: Rows,
    pub(crate) groups: Vec<Group>,
    pub(crate) frames: Vec<Frame>,
    /// Local memory per lane; perhaps there is more, which nothing uses.
    pub(crate) local: Vec<Allocation>,
    /// Lanes that exited, or never were.
    pub(crate) dead: u32,
    /// A lane whose group runs next, regardless of the order.
    favoured: Option<u32>,
    /// Backward branches of the running group while others could run.
    pub(crate) circles: u32,
    /// Strong accesses that changed nothing since the warp last stored.
    pub(crate) polls: u32,
    /// The state in which it was last remembered.
    pub(super) seen: Option<Box<Seen>>,
    /// Whether a poll has looked at it since the last slice ended.
    pub(super) is_seen_in_slice: bool,
    /// The [`Machine::changes`](super::Machine::changes) at which it stalled, if it ever did.
    pub(super) stalled: Option<u64>,
    /// Whether it runs machine code.
    pub(crate) runs_machine_code: bool,
    /// Whether lanes have ever parted: from then on PTX promises convergence nowhere.
    pub(crate) diverged: bool,
    /// Lanes that were dead before lanes parted.
    pub(crate) dead_together: u32,
    /// Pending instructions of its threads.
    pub(crate) scoreboard: Scoreboard,
}

/// Warps, each in a box: a warp is large, and a launch would move it several times.
pub(crate) type Warps = Vec<Box<Warp>>;

/// Position of a warp's block and size of the launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) block_index: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
    /// [`Deviation::TidRowsBySecondExtent`](warpdiff_model::Deviation::TidRowsBySecondExtent).
    pub(crate) by_second_extent: bool,
}

impl Geometry {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Whether the linear number of a thread is its first index.
    fn is_one_row(&self) -> bool {
        self.block[1..] == [1, 1] && !self.by_second_extent
    }

    /// Index in the block of the thread of that linear number.
    pub(crate) fn thread_index(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [linear % x, linear / if self.by_second_extent { y } else { x } % y, linear / x / y]
    }
}

impl Warp {
    /// A warp that nothing runs on.
    fn idle() -> Self {
        Self {
            index: 0,
            block_index: [0; 3],
            registers: Registers::default(),
            rows: Rows::default(),
            groups: Vec::new(),
            frames: Vec::new(),
            local: Vec::new(),
            dead: 0,
            favoured: None,
            circles: 0,
            polls: 0,
            seen: None,
            is_seen_in_slice: false,
            stalled: None,
            runs_machine_code: false,
            diverged: false,
            dead_together: 0,
            scoreboard: Scoreboard::default(),
        }
    }

    /// A warp at the start of kernel `function`: a new one, or one that has run, whose room it uses again.
    pub(super) fn new(
        index: u32,
        code: &Decoded,
        function: u32,
        geometry: &Geometry,
        (handles, constant_memory): (&dyn Fn(WideConstant) -> u64, &Allocation),
        tracked: bool,
        spare: Option<Box<Self>>,
    ) -> Box<Self> {
        let mut warp = spare.unwrap_or_else(|| Box::new(Self::idle()));
        // All fields are named, so that none keeps what an earlier warp had there.
        let Self {
            index: own_index,
            block_index,
            registers,
            rows,
            groups,
            frames,
            local,
            dead,
            favoured,
            circles,
            polls,
            seen,
            is_seen_in_slice,
            stalled,
            runs_machine_code,
            diverged,
            dead_together,
            scoreboard,
        } = &mut *warp;
        let info = &code.functions[function as usize];
        let constants = code.constants.sizes();
        registers.clear();
        load_constants(registers, &code.constants, index, geometry, handles, constant_memory);
        registers.grow(
            constants.narrow as usize,
            constants.wide as usize,
            constants.predicates as usize,
            tracked,
        );
        registers.assume_clean();
        if tracked {
            shade_constants(registers, &code.constants, constant_memory);
        }
        let top = constants.plus(info.registers);
        registers.grow(top.narrow as usize, top.wide as usize, top.predicates as usize, tracked);
        let lanes = (geometry.threads() - index * LANES as u32).min(LANES as u32);
        let live = u32::MAX >> (LANES as u32 - lanes);
        let size = info.frame_size as usize;
        local.resize_with(local.len().max(lanes as usize), Allocation::default);
        local[..lanes as usize].iter_mut().for_each(|local| local.begin_uninitialised(size, tracked));
        groups.clear();
        groups.push(Group { pc: info.start.unwrap_or(0), mask: live, frame: 0, wait: Wait::Ready });
        frames.clear();
        frames.push(Frame::of_kernel(function, constants));
        (*own_index, *block_index, *rows) = (index, geometry.block_index, Rows { bases: constants });
        (*dead, *dead_together, *diverged) = (!live, 0, false);
        (*favoured, *circles, *polls) = (None, 0, 0);
        (*seen, *is_seen_in_slice, *stalled) = (None, false, None);
        *runs_machine_code = !code.statements.is_empty();
        *scoreboard = Scoreboard::default();
        warp
    }

    /// What the registers of the kernel and local memory hold at first; a predicate the lowest bit of a word.
    pub(super) fn begin_holding(&mut self, unwritten: Unwritten) {
        let FileSizes { narrow, wide, predicates } = self.rows.bases;
        // No two registers, lanes, warps of a block or words of memory are the same place; shared memory begins at 1 << 30.
        let place = |row: usize, lane: usize| (self.index << 18) + (row << 5 | lane) as u32;
        let word = |row: usize, lane: usize| unwritten.word(place(row, lane));
        for (row, lanes) in self.registers.narrow[narrow as usize..].iter_mut().enumerate() {
            *lanes = std::array::from_fn(|lane| word(row, lane));
        }
        for (row, lanes) in self.registers.wide[wide as usize..].iter_mut().enumerate() {
            *lanes = std::array::from_fn(|lane| {
                u64::from(word(1 << 10 | row, lane)) << 32 | u64::from(word(1 << 11 | row, lane))
            });
        }
        for (row, flags) in self.registers.predicates[predicates as usize..].iter_mut().enumerate() {
            *flags = (0..LANES).fold(0, |flags, lane| flags | (word(1 << 12 | row, lane) & 1) << lane);
        }
        let first = 1 << 31 | self.index << 20;
        for (lane, local) in self.local.iter_mut().enumerate() {
            local.hold(|at| unwritten.word(first + ((lane as u32) << 15) + at));
        }
    }

    /// Bytes of memory that its registers and its local memory take.
    pub(super) fn room(&self) -> usize {
        let local = self.local.iter().map(|local| local.data.capacity() + local.defined.capacity());
        self.registers.room() + local.sum::<usize>()
    }

    /// The value of a register of the frame that runs, in a lane.
    #[inline]
    pub(super) fn value(&self, slot: Slot, lane: usize) -> u64 {
        self.registers.get(slot.class, self.rows.row(slot), lane)
    }

    /// Its shadow.
    #[inline]
    pub(super) fn shade(&self, slot: Slot, lane: usize) -> Shade {
        self.registers.shade(slot.class, self.rows.row(slot), lane)
    }

    /// Its value, with its shadow if that is kept.
    #[inline]
    pub(super) fn shaded<T: Tracking>(&self, slot: Slot, lane: usize) -> (u64, Shade) {
        let shade = if T::ON { self.shade(slot, lane) } else { Shade::CLEAN };
        (self.value(slot, lane), shade)
    }

    /// The word in a register, 0 where there is none.
    #[inline]
    pub(super) fn word(&self, slot: Option<Slot>, lane: usize) -> u32 {
        slot.map_or(0, |slot| self.value(slot, lane) as u32)
    }

    /// The dirt byte of a register of the running frame.
    #[inline]
    pub(super) fn dirt(&self, slot: Slot) -> u8 {
        self.registers.dirt(slot.class, self.rows.row(slot))
    }

    /// Writes a lane of a register of the frame that runs. Call [`Warp::refresh`] after the last lane.
    #[inline]
    pub(super) fn put<T: Tracking>(&mut self, slot: Slot, lane: usize, value: u64, shade: Shade) {
        let row = self.rows.row(slot);
        self.registers.set(slot.class, row, lane, value);
        if T::ON {
            self.registers.set_shade(slot.class, row, lane, shade);
        }
    }

    /// Writes unspecified bits to a lane of registers, because of operation `op`.
    pub(super) fn put_undefined<T: Tracking>(&mut self, slots: &[Option<Slot>], lane: usize, op: u32) {
        let shade = Shade { undefined: u64::MAX, origin: Origin::made_by(op), ..Shade::CLEAN };
        slots.iter().flatten().for_each(|slot| self.put::<T>(*slot, lane, 0, shade));
    }

    /// Makes a register undefined in these lanes while operation `op` is pending. Returns its previous shadow.
    pub(super) fn hide(&mut self, slot: Slot, mask: u32, op: u32) -> [Shade; LANES] {
        let row = self.rows.row(slot);
        let mut shades = [Shade::CLEAN; LANES];
        let hidden = Shade { undefined: all_bits(slot.class), origin: Origin::made_by(op), ..Shade::CLEAN };
        for lane in lanes(mask) {
            shades[lane] = self.registers.shade(slot.class, row, lane);
            self.registers.set_shade(slot.class, row, lane, hidden);
        }
        shades
    }

    /// Settles the dirt of registers that were written lane by lane.
    pub(super) fn refresh<T: Tracking>(&mut self, slots: &[Option<Slot>]) {
        if T::ON {
            for slot in slots.iter().flatten() {
                self.registers.refresh(slot.class, self.rows.row(*slot), self.dead);
            }
        }
    }

    /// Removes and returns the group to run next, if one can run.
    pub(crate) fn take_group(&mut self) -> Option<Group> {
        let index = self.favoured_group().or_else(|| {
            self.favoured = None;
            let order = |group: &Group| (u32::MAX - self.frames[group.frame as usize].depth, group.pc);
            let ready = |(_, group): &(usize, &Group)| group.wait == Wait::Ready;
            self.groups
                .iter()
                .enumerate()
                .filter(ready)
                .min_by_key(|(_, group)| order(group))
                .map(|(index, _)| index)
        })?;
        let group = self.groups.swap_remove(index);
        self.rows.bases = self.frames[group.frame as usize].bases;
        Some(group)
    }

    fn favoured_group(&self) -> Option<usize> {
        let lane = self.favoured?;
        self.groups.iter().position(|group| group.wait == Wait::Ready && group.mask >> lane & 1 == 1)
    }

    /// The program counter at which `group` has to stop to meet others: the nearest one ahead of a group with the same calls.
    pub(crate) fn meeting(&self, group: &Group) -> u32 {
        let waits = |other: &&Group| {
            other.frame == group.frame && other.pc > group.pc && !matches!(other.wait, Wait::Barrier { .. })
        };
        self.groups.iter().filter(waits).map(|other| other.pc).min().unwrap_or(NEVER)
    }

    /// What decides, besides the groups, which of them runs next. The running group has `fuel` left.
    pub(super) fn scheduling(&self, fuel: u32) -> Scheduling {
        let fuel = if self.groups.is_empty() { 0 } else { fuel };
        Scheduling { favoured: self.favoured, circles: self.circles.min(self.patience()), fuel }
    }

    /// Whether another group could run.
    pub(crate) fn others_ready(&self) -> bool {
        self.groups.iter().any(|group| group.wait == Wait::Ready)
    }

    /// Puts a group back, merging it with a group at the same place.
    pub(crate) fn put_group(&mut self, group: Group) {
        if group.mask == 0 {
            return;
        }
        let same = |other: &&mut Group| {
            let both_wait =
                matches!(other.wait, Wait::Barrier { .. }) || matches!(group.wait, Wait::Barrier { .. });
            other.pc == group.pc && other.frame == group.frame && (!both_wait || other.wait == group.wait)
        };
        let Some(other) = self.groups.iter_mut().find(same) else {
            if !self.diverged && group.mask != self.live() {
                (self.diverged, self.dead_together) = (true, self.dead);
            }
            self.groups.push(group);
            return;
        };
        other.mask |= group.mask;
        // Whoever waited for members looks again whether they are all there now.
        if other.wait == Wait::Members || group.wait == Wait::Members {
            other.wait = Wait::Ready;
        }
        if self.favoured.is_some_and(|lane| other.mask >> lane & 1 == 1) {
            self.favoured = None;
        }
    }

    fn patience(&self) -> u32 {
        if self.runs_machine_code { PATIENCE_OF_MACHINE_CODE } else { PATIENCE }
    }

    /// Counts a backward branch of `group` while others could run; after too many, selects the next group.
    pub(crate) fn circled(&mut self, group: &Group) {
        self.circles = self.circles.saturating_add(1);
        if self.circles < self.patience() {
            return;
        }
        self.circles = 0;
        let from = group.mask.trailing_zeros();
        let after = |other: &&Group| (other.mask.trailing_zeros() + LANES as u32 - from) % LANES as u32;
        let ready = self.groups.iter().filter(|other| other.wait == Wait::Ready);
        self.favoured = ready.min_by_key(after).map(|other| other.mask.trailing_zeros());
    }

    /// Lanes that can still run.
    pub(crate) fn live(&self) -> u32 {
        !self.dead
    }

    /// Whether all lanes have exited.
    pub(crate) fn finished(&self) -> bool {
        self.groups.is_empty()
    }
}

fn load_constants(
    registers: &mut Registers,
    constants: &Constants,
    warp: u32,
    geometry: &Geometry,
    handles: &dyn Fn(WideConstant) -> u64,
    constant_memory: &Allocation,
) {
    for constant in &constants.narrow {
        registers.narrow.push(match *constant {
            NarrowConstant::Value(value) => [value; LANES],
            NarrowConstant::Special(register, component) => {
                special(register, component as usize, warp, geometry)
            }
            NarrowConstant::Bank(place) => {
                [bank_word(constant_memory, place).map_or(0, |at| constant_memory.read(at, 4) as u32); LANES]
            }
        });
    }
    for constant in &constants.wide {
        registers.wide.push([handles(*constant); LANES]);
    }
    for constant in &constants.predicates {
        registers.predicates.push(if *constant { u32::MAX } else { 0 });
    }
}

/// The place of a word of constant memory, if it is there.
fn bank_word(constant_memory: &Allocation, place: u32) -> Option<usize> {
    let place = place as usize;
    (place + 4 <= constant_memory.data.len()).then_some(place)
}

/// Handles and addresses are not the same numbers on every target. Handles are unordered, so that control which depends on
/// one is seen; addresses are meant to lead somewhere, and unfixed.
fn shade_constants(registers: &mut Registers, constants: &Constants, constant_memory: &Allocation) {
    let mut set = |class, index, shade| registers.set_all_shades(class, index, (u32::MAX, 0), shade);
    for (index, constant) in constants.wide.iter().enumerate() {
        match constant {
            WideConstant::Value(_) => {}
            WideConstant::Address { aligned, .. } => {
                set(Class::Wide, index, Shade { unfixed: u64::MAX << aligned, ..Shade::CLEAN });
            }
            WideConstant::SurfaceVariable(_)
            | WideConstant::TextureVariable(_)
            | WideConstant::SamplerVariable(_)
            | WideConstant::OpaqueParameter(_) => {
                set(Class::Wide, index, Shade { unordered: u64::MAX, ..Shade::CLEAN });
            }
        }
    }
    for (index, constant) in constants.narrow.iter().enumerate() {
        if let NarrowConstant::Special(warpdiff_ptx::vocabulary::SpecialRegister::TotalSmemSize, _) = constant
        {
            set(Class::Narrow, index, Shade { unfixed: !(SHARED_UNIT - 1), ..Shade::CLEAN });
        }
        if let NarrowConstant::Bank(place) = constant {
            let shade = match bank_word(constant_memory, *place) {
                Some(at) => Shade {
                    undefined: constant_memory.undefined(at, 4),
                    unordered: constant_memory.unordered(at, 4),
                    unfixed: constant_memory.unfixed(at, 4),
                    ..Shade::CLEAN
                },
                // Nothing is said of words behind the parameters.
                None => Shade { undefined: u32::MAX.into(), ..Shade::CLEAN },
            };
            set(Class::Narrow, index, shade);
        }
    }
}

/// "%total_smem_size […] size is in multiples of the shared memory allocation unit size of target architecture": 128 bytes, or
/// twice as much. How many of them there are depends on how the variables are laid out.
const SHARED_UNIT: u64 = 128;

/// The value of a special register in each lane.
fn special(
    register: warpdiff_ptx::vocabulary::SpecialRegister,
    component: usize,
    warp: u32,
    geometry: &Geometry,
) -> Narrow {
    use warpdiff_ptx::vocabulary::SpecialRegister as S;
    let of = |triple: [u32; 3]| triple.get(component).copied().unwrap_or(0);
    let each = |of: fn(u32) -> u32| std::array::from_fn(|lane| of(lane as u32));
    match register {
        S::Tid if geometry.is_one_row() => {
            let first = warp * LANES as u32;
            std::array::from_fn(|lane| if component == 0 { first + lane as u32 } else { 0 })
        }
        S::Tid => thread_indices(geometry, warp * LANES as u32).map(of),
        S::Laneid => each(|lane| lane),
        S::LanemaskEq => each(|lane| 1 << lane),
        S::LanemaskLe => each(|lane| u32::MAX >> (31 - lane)),
        S::LanemaskLt => each(|lane| (1 << lane) - 1),
        S::LanemaskGe => each(|lane| u32::MAX << lane),
        S::LanemaskGt => each(|lane| !(u32::MAX >> (31 - lane))),
        S::Ntid => [of(geometry.block); LANES],
        S::Ctaid => [of(geometry.block_index); LANES],
        S::Nctaid => [of(geometry.grid); LANES],
        S::TotalSmemSize => [geometry.total_shared.next_multiple_of(SHARED_UNIT as u32); LANES],
        S::DynamicSmemSize => [geometry.dynamic_shared; LANES],
        // Decoded to something else; see `decode::operand`.
        _ => [0; LANES],
    }
}

/// [`Geometry::thread_index`] of each thread of a warp that begins with this number. Only the first index is divided for, the others are counted on.
fn thread_indices(geometry: &Geometry, first: u32) -> [[u32; 3]; LANES] {
    let [x, y, _] = geometry.block;
    let mut next = geometry.thread_index(first);
    std::array::from_fn(|lane| {
        if geometry.by_second_extent {
            return geometry.thread_index(first + lane as u32);
        }
        let index = next;
        next[0] += 1;
        if next[0] == x {
            next = [0, next[1] + 1, next[2]];
        }
        if next[1] == y {
            next = [next[0], 0, next[2] + 1];
        }
        index
    })
}
