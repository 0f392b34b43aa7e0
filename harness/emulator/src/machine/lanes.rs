//! Applies a function to 32 lanes, and its rule of definedness to their shadow.

use warpdiff_semantics::definedness::arithmetic::is_all_from_a_bit_on;
use warpdiff_semantics::definedness::float::open_bits_of_upper_word;
use warpdiff_semantics::definedness::{self, Bits};
use warpdiff_semantics::numeric::bound::{Interval, Permitted, permitted};

use crate::operation::{BoundUse, Class};
use crate::registers::{
    LANES, Narrow, Origin, Registers, Shade, UNFIXED, Wide, all_bits, blend_narrow, blend_wide, lanes,
};
use warpdiff_semantics::definedness::doubt::Doubt;
use warpdiff_semantics::opaque::is_handle;

/// A register, resolved.
pub(super) type Row = (Class, usize);

/// Lanes of a chunk: what an operation reads, computes and writes at once. Eight words are one vector register, so that no value of a lane
/// passes through memory on its way.
pub(super) const CHUNK: usize = 8;

/// A chunk of a register's lanes, beginning at `first`.
#[inline(always)]
pub(super) fn chunk<V: Copy>(row: &[V; LANES], first: usize) -> [V; CHUNK] {
    std::array::from_fn(|i| row[first + i])
}

/// `r[i] = f(a[i])`.
#[inline(always)]
pub(super) fn map1<A: Copy, R: Copy + Default, const N: usize>(a: &[A; N], f: impl Fn(A) -> R) -> [R; N] {
    let mut result = [R::default(); N];
    for i in 0..N {
        result[i] = f(a[i]);
    }
    result
}

/// `r[i] = f(a[i], b[i])`.
#[inline(always)]
pub(super) fn map2<A: Copy, B: Copy, R: Copy + Default, const N: usize>(
    a: &[A; N],
    b: &[B; N],
    f: impl Fn(A, B) -> R,
) -> [R; N] {
    let mut result = [R::default(); N];
    for i in 0..N {
        result[i] = f(a[i], b[i]);
    }
    result
}

/// `r[i] = f(a[i], b[i], c[i])`.
#[inline(always)]
pub(super) fn map3<A: Copy, B: Copy, C: Copy, R: Copy + Default, const N: usize>(
    a: &[A; N],
    b: &[B; N],
    c: &[C; N],
    f: impl Fn(A, B, C) -> R,
) -> [R; N] {
    let mut result = [R::default(); N];
    for i in 0..N {
        result[i] = f(a[i], b[i], c[i]);
    }
    result
}

/// `r[i] = f(a[i], b[i], whether lane i is in c)`.
#[inline(always)]
pub(super) fn map2_and_mask<A: Copy, B: Copy, R: Copy + Default, const N: usize>(
    a: &[A; N],
    b: &[B; N],
    c: u32,
    f: impl Fn(A, B, u32) -> R,
) -> [R; N] {
    let mut result = [R::default(); N];
    for i in 0..N {
        result[i] = f(a[i], b[i], c >> i & 1);
    }
    result
}

/// The lanes in which `f(a[i], b[i])` holds.
#[inline(always)]
pub(super) fn mask2<A: Copy, B: Copy>(a: &[A; LANES], b: &[B; LANES], f: impl Fn(A, B) -> bool) -> u32 {
    let mut bits = [0u32; LANES];
    for i in 0..LANES {
        bits[i] = u32::from(f(a[i], b[i])) << i;
    }
    bits.iter().fold(0, |all, bit| all | bit)
}

/// Stores the lanes of `mask`.
#[inline(always)]
pub(super) fn put_narrow(destination: &mut Narrow, value: &Narrow, mask: u32) {
    if mask == u32::MAX {
        *destination = *value;
    } else {
        blend_narrow(destination, value, mask);
    }
}

/// Stores the lanes of `mask`.
#[inline(always)]
pub(super) fn put_wide(destination: &mut Wide, value: &Wide, mask: u32) {
    if mask == u32::MAX {
        *destination = *value;
    } else {
        blend_wide(destination, value, mask);
    }
}

/// A lane's sources with their shadow, as one operand list.
pub(super) struct Operands {
    pub(super) values: [u64; 4],
    shades: [Shade; 4],
}

impl Operands {
    /// Reads the sources in a lane.
    pub(super) fn read(registers: &Registers, sources: &[Row], lane: usize) -> Self {
        let mut operands = Self { values: [0; 4], shades: [Shade::CLEAN; 4] };
        for (n, (class, row)) in sources.iter().enumerate().take(4) {
            operands.values[n] = registers.get(*class, *row, lane);
            operands.shades[n] = registers.shade(*class, *row, lane);
        }
        operands
    }

    /// The undefined bits of each source that something computed of it sees.
    fn undefined(&self) -> [u64; 4] {
        self.shades.map(|shade| if shade.doubt.is_open() { 0 } else { shade.undefined })
    }

    /// What is known of undefined bits of a result: that all of them come of bounded values, if without those none would be undefined.
    fn derived(&self, undefined: u64, masked: impl Fn([u64; 4]) -> u64) -> Doubt {
        let doubted = |shade: &Shade| shade.undefined != 0 && !shade.doubt.is_none();
        if undefined == 0 || !self.shades.iter().any(doubted) {
            return Doubt::NONE;
        }
        let others = self.shades.map(|shade| if shade.doubt.is_none() { shade.undefined } else { 0 });
        if masked(others) == 0 { Doubt::DERIVED } else { Doubt::NONE }
    }

    /// Adds the effect of the operation on bounds of its result or source to the shadow of the result.
    pub(super) fn bound(&self, shade: &mut Shade, what: BoundUse, (class, op): (Class, u32), result: u64) {
        let (operation, ftz, open) = match what {
            BoundUse::None => return,
            BoundUse::Approximates { operation, ftz } => (operation, ftz, false),
            BoundUse::ApproximatesOpenly { operation, of: None } => (operation, true, true),
            BoundUse::ApproximatesOpenly { operation, of: Some(wanted) } => {
                if self.shades[0].doubt.reduction() != Some(wanted) {
                    (shade.undefined, shade.doubt) = (all_bits(class), Doubt::NONE);
                    shade.origin = Origin::made_by(op);
                    return;
                }
                // All bits of a prepared argument are undefined for any other use.
                let mut known = Self { values: self.values, shades: self.shades };
                (known.shades[0].undefined, known.shades[0].doubt) = (0, Doubt::NONE);
                (shade.undefined, shade.doubt, shade.origin) = (0, Doubt::NONE, Origin::NONE);
                known.bound(shade, BoundUse::ApproximatesOpenly { operation, of: None }, (class, op), result);
                return;
            }
            BoundUse::ApproximatesUpperWord { root } => {
                let open = open_bits_of_upper_word(self.values[0] as u32, root);
                if open != 0 && self.undefined() == [0; 4] {
                    shade.undefined |= u64::from(open);
                    shade.origin = Origin::made_by(op);
                    shade.doubt = Doubt::DERIVED.opened();
                }
                return;
            }
            BoundUse::Reduces(by) => {
                if shade.undefined == 0 {
                    shade.undefined = all_bits(class);
                    shade.origin = Origin::made_by(op);
                    shade.doubt = Doubt::reduced(by);
                }
                return;
            }
            BoundUse::Saturates => {
                let before = self.shades[0];
                if before.doubt.is_open() {
                    let clamped = before.doubt.interval().map(Interval::saturated);
                    let undefined = clamped.map_or(all_bits(class), |interval| interval.varying().into());
                    if undefined != 0 {
                        shade.undefined = undefined;
                        shade.origin = before.origin;
                        shade.doubt = clamped.map_or(before.doubt, |inside| Doubt::within(inside).opened());
                    }
                }
                return;
            }
            BoundUse::Negates | BoundUse::TakesAbsolute => {
                let Some(interval) = self.shades[0].doubt.interval() else { return };
                let absolute = what == BoundUse::TakesAbsolute;
                let interval = if absolute { interval.absolute() } else { interval.negated() };
                shade.undefined = interval.varying().into();
                shade.doubt = Doubt::within(interval);
                return;
            }
        };
        if self.undefined() != [0; 4] {
            return;
        }
        let (undefined, doubt) = match permitted(operation, self.values, ftz, result) {
            Permitted::Exact => return,
            Permitted::Anything(bits) => (bits, Doubt::DERIVED),
            Permitted::Between(interval) => (interval.varying().into(), Doubt::within(interval)),
        };
        shade.undefined |= undefined & all_bits(class);
        shade.origin = Origin::made_by(op);
        shade.doubt = if open { doubt.opened() } else { doubt };
        // Of a value that depends on an order, or on addresses, there is one interval for each.
        if shade.unordered | shade.unfixed != 0 {
            shade.doubt = shade.doubt.of_part();
        }
    }

    /// The shadow of what is computed of the sources: "performing pointer arithmetic will result in undefined results" (PTX ISA 5.3),
    /// so that the bits of a result which depend on those of a handle are undefined.
    pub(super) fn computed_shade(
        &self,
        destination: Class,
        op: u32,
        rule: &dyn Fn(&[Bits; 4]) -> u64,
    ) -> Shade {
        let mut shade = self.shade(destination, op, rule);
        if shade.unordered == 0 {
            return shade;
        }
        let is_handle = |n: usize| is_handle(self.values[n], self.shades[n].unordered);
        if (0..4).any(is_handle) {
            let bits = std::array::from_fn(|n| Bits {
                value: self.values[n],
                defined: if is_handle(n) { 0 } else { u64::MAX },
            });
            let undefined = !rule(&bits) & all_bits(destination);
            if shade.undefined == 0 && undefined != 0 {
                shade.origin = Origin::made_by(op);
            }
            if undefined != 0 {
                shade.doubt = Doubt::NONE;
            }
            shade.undefined |= undefined;
        }
        shade
    }

    /// Source `n` with its defined bits.
    pub(super) fn bits(&self, n: usize) -> Bits {
        Bits { value: self.values[n], defined: !self.shades[n].undefined }
    }

    /// The shadow of a result whose defined bits `rule` gives.
    pub(super) fn shade(&self, destination: Class, op: u32, rule: &dyn Fn(&[Bits; 4]) -> u64) -> Shade {
        let all = all_bits(destination);
        let masked = |hidden: [u64; 4]| {
            let bits = std::array::from_fn(|n| Bits { value: self.values[n], defined: !hidden[n] });
            !rule(&bits) & all
        };
        let undefined = masked(self.undefined());
        // A rule that finds bits undefined whatever its operands does not make them unordered or unfixed.
        let masked_if_any = |hidden: [u64; 4]| if hidden == [0; 4] { 0 } else { masked(hidden) };
        let unordered = masked_if_any(self.shades.map(|shade| shade.unordered));
        let unfixed = masked_if_any(self.shades.map(|shade| shade.unfixed));
        let origin = if undefined == 0 { Origin::NONE } else { self.origin(op) };
        Shade { undefined, unordered, unfixed, origin, record: 0, doubt: self.derived(undefined, masked) }
    }

    /// Where the first undefined source's bits came from; the operation itself if all are defined.
    fn origin(&self, op: u32) -> Origin {
        let Some(n) = self.undefined().iter().position(|undefined| *undefined != 0) else {
            return Origin::made_by(op);
        };
        match self.shades[n].origin {
            Origin::NONE => Origin::unwritten(op, n),
            origin => origin,
        }
    }
}

/// As [`shade_all`], for a value computed from its sources: see [`Operands::computed_shade`].
#[cold]
#[inline(never)]
pub(super) fn shade_computed(
    registers: &mut Registers,
    destination: Row,
    sources: &[Row],
    (mask, dead): (u32, u32),
    op: u32,
    rule: &dyn Fn(&[Bits; 4]) -> u64,
) {
    let dirt = sources.iter().fold(0, |all, (class, row)| all | registers.dirt(*class, *row));
    if dirt == UNFIXED {
        return shade_unfixed(registers, destination, sources, (mask, dead), op, rule);
    }
    put_shades(registers, destination, (mask, dead), |registers, lane| {
        Operands::read(registers, sources, lane).computed_shade(destination.0, op, rule)
    });
}

/// As [`shade_computed`], for a sum of two sources, or of the last source and the product of the others.
///
/// All bits of an address are unfixed but the low ones that its alignment fixes, and so are those of its sum with a fixed number, whatever that is:
/// below the lowest bit that is unfixed nothing changes, and from there on all bits are unfixed already.
#[cold]
#[inline(never)]
pub(super) fn shade_sum(
    registers: &mut Registers,
    destination: Row,
    sources: &[Row],
    (mask, dead): (u32, u32),
    op: u32,
    rule: &dyn Fn(&[Bits; 4]) -> u64,
) {
    let is_dirty = |(class, row): &Row| registers.dirt(*class, *row) != 0;
    let summands = if sources.len() == 2 { sources } else { &sources[sources.len() - 1..] };
    let unfixed = match summands.iter().find(|source| is_dirty(source)) {
        Some(address) if sources.iter().filter(|source| is_dirty(source)).count() == 1 => {
            registers.common_unfixed(*address, mask)
        }
        _ => None,
    };
    match unfixed.filter(|unfixed| is_all_from_a_bit_on(*unfixed)) {
        Some(unfixed) => {
            let shade = Shade { unfixed, ..Shade::CLEAN };
            registers.set_all_shades(destination.0, destination.1, (mask, dead), shade);
        }
        None => shade_computed(registers, destination, sources, (mask, dead), op, rule),
    }
}

/// Sets the shadow of `destination` in the lanes of `mask` to what `of` finds for each; `dead` lanes are ignored.
pub(super) fn put_shades(
    registers: &mut Registers,
    (class, row): Row,
    (mask, dead): (u32, u32),
    mut of: impl FnMut(&Registers, usize) -> Shade,
) {
    // A row of a table that is launched apart is one thread.
    if mask.is_power_of_two() {
        let shade = of(registers, mask.trailing_zeros() as usize);
        return registers.set_all_shades(class, row, (mask, dead), shade);
    }
    registers.write_out(class, row);
    let mut dirt = 0;
    for lane in lanes(mask) {
        let shade = of(registers, lane);
        dirt |= registers.put_shade(class, row, lane, shade);
    }
    registers.set_dirt(class, row, (mask, dead), dirt);
}

/// The same of sources of which no bit is undefined or unordered: of addresses, which every kernel computes.
fn shade_unfixed(
    registers: &mut Registers,
    destination: Row,
    sources: &[Row],
    (mask, dead): (u32, u32),
    op: u32,
    rule: &dyn Fn(&[Bits; 4]) -> u64,
) {
    let all = all_bits(destination.0);
    let shade = |values: [u64; 4], unfixed: [u64; 4]| {
        let mut bits = values.map(|value| Bits { value, defined: u64::MAX });
        let undefined = !rule(&bits) & all;
        let mut shade = Shade { undefined, ..Shade::CLEAN };
        if undefined != 0 {
            shade.origin = Origin::made_by(op);
        }
        if unfixed != [0; 4] {
            bits.iter_mut().zip(unfixed).for_each(|(bits, unfixed)| bits.defined = !unfixed);
            shade.unfixed = !rule(&bits) & all;
        }
        shade
    };
    if mask.is_power_of_two() {
        let lane = mask.trailing_zeros() as usize;
        let of =
            |read: &dyn Fn(Row) -> u64| std::array::from_fn(|n| sources.get(n).map_or(0, |row| read(*row)));
        let values = of(&|(class, row)| registers.get(class, row, lane));
        let unfixed = of(&|(class, row)| registers.unfixed(class, row, lane));
        return registers.set_all_shades(destination.0, destination.1, (mask, dead), shade(values, unfixed));
    }
    let mut values = [[0; LANES]; 4];
    let mut unfixed = [[0; LANES]; 4];
    for (n, source) in sources.iter().enumerate().take(4) {
        registers.copy(*source, &mut values[n], &mut unfixed[n]);
    }
    put_shades(registers, destination, (mask, dead), |_, lane| {
        shade(std::array::from_fn(|n| values[n][lane]), std::array::from_fn(|n| unfixed[n][lane]))
    });
}

/// Computes the shadow of `destination` in the lanes of `mask` from dirty sources; `dead` lanes are ignored. Call it before the
/// value is stored.
#[cold]
#[inline(never)]
pub(super) fn shade_all(
    registers: &mut Registers,
    destination: Row,
    sources: &[Row],
    (mask, dead): (u32, u32),
    op: u32,
    rule: &dyn Fn(&[Bits; 4]) -> u64,
) {
    put_shades(registers, destination, (mask, dead), |registers, lane| {
        Operands::read(registers, sources, lane).shade(destination.0, op, rule)
    });
}

/// Copies the shadow of `source`, including its record of atomics.
#[cold]
#[inline(never)]
pub(super) fn shade_copy(
    registers: &mut Registers,
    destination: Row,
    source: Row,
    (mask, dead): (u32, u32),
    op: u32,
) {
    put_shades(registers, destination, (mask, dead), |registers, lane| {
        let mut shade = registers.shade(source.0, source.1, lane);
        if shade.undefined != 0 && shade.origin == Origin::NONE {
            shade.origin = Origin::unwritten(op, 0);
        }
        shade
    });
}

/// The shadow of a selection between the first and second source by the third, a predicate: as [`shade_all`], but a selection with
/// a defined predicate is a copy.
#[cold]
#[inline(never)]
pub(super) fn shade_selected(
    registers: &mut Registers,
    destination: Row,
    sources: &[Row; 3],
    (mask, dead): (u32, u32),
    op: u32,
) {
    let rule = |v: &[Bits; 4]| definedness::select(v[2], v[0], v[1]);
    put_shades(registers, destination, (mask, dead), |registers, lane| {
        let operands = Operands::read(registers, sources, lane);
        let mut shade = operands.shade(destination.0, op, &rule);
        let [a, b, predicate, _] = operands.shades;
        if predicate.is_clean() {
            let selected = if operands.values[2] & 1 == 1 { a } else { b };
            (shade.undefined, shade.doubt) = (selected.undefined, selected.doubt);
        }
        shade
    });
}

#[cfg(test)]
mod tests {
    use warpdiff_semantics::definedness::composed::mad_wide_rule;

    use super::*;
    use crate::registers::UNDEFINED;

    const SUM: Row = (Class::Wide, 2);
    type Rule<'a> = &'a dyn Fn(&[Bits; 4]) -> u64;

    /// Two wide registers and two narrow ones, and a wide one for the sum.
    fn registers(values: [u64; LANES], unfixed: [u64; LANES]) -> Registers {
        let mut registers = Registers::default();
        registers.grow(2, 3, 0, true);
        registers.assume_clean();
        for lane in 0..LANES {
            let value = values[lane];
            registers.set(Class::Wide, 0, lane, value.rotate_left(17));
            registers.set(Class::Wide, 1, lane, value);
            registers.set(Class::Narrow, 0, lane, value >> 7);
            registers.set(Class::Narrow, 1, lane, value >> 31);
            registers.set_shade(Class::Wide, 1, lane, Shade { unfixed: unfixed[lane], ..Shade::CLEAN });
        }
        registers.forget(SUM.0, SUM.1, u32::MAX);
        registers
    }

    fn shades(registers: &Registers) -> Vec<Shade> {
        (0..LANES).map(|lane| registers.shade(SUM.0, SUM.1, lane)).collect()
    }

    /// A sum has the shadow that its rule finds for each lane, whichever bits are unfixed, and in which lanes.
    #[test]
    fn the_shadow_of_a_sum_is_that_of_its_rule() {
        let add = |v: &[Bits; 4]| definedness::add(v[0], v[1], 64);
        let mad = |v: &[Bits; 4]| mad_wide_rule(v, true);
        let (base, offset) = ((Class::Wide, 1), (Class::Wide, 0));
        let factors = [(Class::Narrow, 0), (Class::Narrow, 1), base];
        let values: [u64; LANES] =
            std::array::from_fn(|lane| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(lane as u64 + 1));
        let common = [0, 1, 4, 8, 12, 31, 32, 33, 63].map(|bit| u64::MAX << bit);
        let odd = [1, 0xFF00, 1 << 63, 0x0FFF_FFFF_FFFF_FFF0, 0xFFFF_FFF0];
        let alike = common.into_iter().chain(odd).map(|bits| [bits; LANES]);
        let apart = [std::array::from_fn(|lane| u64::MAX << lane), {
            let mut first = [0; LANES];
            first[0] = u64::MAX << 4;
            first
        }];
        for unfixed in alike.chain(apart) {
            for (mask, dead) in [(u32::MAX, 0), (0xFF, !0xFF), (0xF0F0, 0xF000_0000), (1 << 9, 0), (1, !1)] {
                let sums: [(&[Row], Rule); 3] =
                    [(&[base, offset], &add), (&[offset, base], &add), (&factors, &mad)];
                for (sources, rule) in sums {
                    let (mut quick, mut slow) = (registers(values, unfixed), registers(values, unfixed));
                    shade_sum(&mut quick, SUM, sources, (mask, dead), 3, rule);
                    shade_computed(&mut slow, SUM, sources, (mask, dead), 3, rule);
                    for lane in lanes(!dead) {
                        let (quick, slow) = (shades(&quick)[lane], shades(&slow)[lane]);
                        assert_eq!(quick, slow, "{:#x} in lanes {mask:#x}, lane {lane}", unfixed[0]);
                    }
                    assert_eq!(quick.dirt(SUM.0, SUM.1) & UNDEFINED, slow.dirt(SUM.0, SUM.1) & UNDEFINED);
                }
            }
        }
    }
}
