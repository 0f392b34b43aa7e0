//! Places of accesses: registers and immediate offsets that lead there, and operands that are near to what they hold.

use arbitrary::{Result, Unstructured};

use crate::builder::Builder;
use crate::specimen::{Action, Class, Operand, Register, Shape, Space, Specimen, Step, WINDOW};
use crate::values::Value;

/// Sizes of loads and stores: modifier, bytes.
pub(super) const SIZES: &[(&str, usize)] =
    &[(".U8", 1), (".S8", 1), (".U16", 2), (".S16", 2), ("", 4), (".32", 4), (".64", 8), (".128", 16)];

/// Where an access goes, from the beginning of the thread's window on.
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) at: u32,
    /// Bytes that it moves.
    size: usize,
    /// What its offset is a multiple of.
    unit: i32,
}

impl Place {
    /// An aligned place in the window.
    pub(super) fn draw(u: &mut Unstructured<'_>, space: Space, size: usize, unit: i32) -> Result<Self> {
        Ok(Self { space, at: (size * u.choose_index(WINDOW / size)?) as u32, size, unit })
    }

    /// Moves it to where it is misaligned.
    pub(super) fn misalign(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        self.at += u.int_in_range(1..=self.size as u32 - 1)?;
        Ok(())
    }

    /// Moves it outside of what is allocated: behind it, behind the window, or before both.
    pub(super) fn leave(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let allocated = WINDOW as u32 * Specimen::FEW_THREADS;
        self.at = *u.choose(&[allocated, 0x100_0000, 0xff_ff00, 0xffff_f000])?;
        Ok(())
    }

    /// Moves it away from each `ATOMS` with `.SPIN`, or from all others if it has `.SPIN` itself: where a thread comes back to such a location
    /// the reference does not decide which orders are possible. There are more places than steps.
    pub(super) fn keep_apart(&mut self, builder: &Builder, spins: bool) {
        let steps = builder.specimen.steps.iter();
        let others = steps.filter(|step| spins || step.opcode.contains(".SPIN"));
        let taken: Vec<u32> = others.filter_map(|step| shared_atomic_at(builder, step)).collect();
        let size = self.size as u32;
        let is_free = |at: u32| taken.iter().all(|other| at + size <= *other || other + 8 <= at);
        let window = WINDOW as u32;
        if self.at < window && !is_free(self.at / size * size) {
            let free = (0..window / size).map(|place| place * size).find(|at| is_free(*at));
            self.at = free.unwrap_or(self.at);
        }
    }

    /// Register and immediate offset that lead there.
    fn reach(&self, builder: &mut Builder, u: &mut Unstructured<'_>) -> Result<(Option<Register>, i32)> {
        // The windows of threads follow each other in shared memory; what has no register is the same for all.
        let absolute = self.space == Space::Local || builder.threads() == 1;
        let fits = self.at < 1 << 24 && (self.at as i32) % self.unit == 0;
        if self.space == Space::Global || absolute && fits && u.arbitrary::<u8>()? < 80 {
            return Ok((None, self.at as i32));
        }
        let unit = self.unit;
        let offset = match u.arbitrary::<u8>()? % 4 {
            0 => 0,
            1 => u.int_in_range(-16..=16)? * unit,
            2 => *u.choose(&[-0x80_0000, 0x7f_fffc, -4, 4, 0x40_0000])?,
            _ => u.int_in_range(-0x80_0000 / unit..=0x7f_ffff / unit)? * unit,
        };
        let base = u64::from(self.at.wrapping_sub(offset as u32));
        let values = vec![base; builder.threads() as usize];
        Ok((Some(builder.input(Class::B32, values)), offset))
    }

    /// The shape of an access to it, and its first source.
    pub(super) fn shape(
        &self,
        builder: &mut Builder,
        u: &mut Unstructured<'_>,
        action: Action,
    ) -> Result<(Shape, Vec<Operand>)> {
        let (base, offset) = self.reach(builder, u)?;
        let shape = Shape::Window { action, space: self.space, offset, based: base.is_some() };
        Ok((shape, base.map(Operand::Register).into_iter().collect()))
    }
}

/// Where an `ATOMS` goes from the beginning of a window on, in eight bytes at most.
fn shared_atomic_at(builder: &Builder, step: &Step) -> Option<u32> {
    let Shape::Window { action: Action::Atomic, space: Space::Shared, offset, based } = step.shape else {
        return None;
    };
    let base = if based { step.sources.first()?.register() } else { None };
    let input = |base| builder.specimen.inputs.iter().find(|input| input.register == base);
    let base = base.and_then(input).map_or(0, |input| input.values[0] as u32);
    Some(base.wrapping_add(offset as u32) & !7)
}

/// Appends the operands of an atomic; one of two is `RZ` now and then.
pub(super) fn operands_of(
    builder: &mut Builder,
    u: &mut Unstructured<'_>,
    place: &Place,
    count: usize,
    sources: &mut Vec<Operand>,
) -> Result<()> {
    let first = sources.len();
    for _ in 0..count {
        sources.push(Operand::Register(near_memory(builder, u, place)?));
    }
    // The first one of `ATOMS` is a register in any case.
    let zero = usize::from(u.arbitrary::<u8>()? % 8);
    if count == 2 && (zero == 1 || zero == 0 && place.space == Space::Global) {
        sources[first + zero] = Operand::Immediate(0);
    }
    Ok(())
}

/// An operand that often equals what the location held at first, or lies one beside it.
fn near_memory(builder: &mut Builder, u: &mut Unstructured<'_>, place: &Place) -> Result<Register> {
    let (class, value) = if place.size == 8 { (Class::B64, Value::I64) } else { (Class::B32, Value::I32) };
    let roll = u.arbitrary::<u8>()?;
    let (at, size) = (place.at as usize, place.size);
    if roll % 2 == 1 || at + size > WINDOW || at % size != 0 {
        return builder.register(u, class, value);
    }
    let delta = [0, 0, 1, u64::MAX][usize::from(roll >> 1) % 4];
    let mask = u64::MAX >> (64 - 8 * size);
    let values = builder.window_values(u, place.space, at, size)?;
    Ok(builder.input(class, values.iter().map(|value| value.wrapping_add(delta) & mask).collect()))
}
