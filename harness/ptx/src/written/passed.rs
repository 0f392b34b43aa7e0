//! The constants that calls pass, as ptxas 12.9 finds them. A function that is called in one place, and whose address nothing takes, has the constants
//! that are stored for that call in its parameters; what it stores once as its result, the caller finds there. Of a constant that was passed already
//! neither is true, and nothing is known of what is stored twice, even if it is the same.

use std::collections::HashMap;

use super::{Constant, Written, folded};
use crate::checked::{
    AddressBase, CallArgument, CallOperands, Callee, Function, FunctionId, Instruction, Module, Operand,
    RegisterId, RelocationSymbol, VariableId,
};
use crate::vocabulary::{Opcode, Space, Type};

/// The constants in the `.param` variables of a function, and in its registers of parameters.
#[derive(Default)]
pub(super) struct Passed {
    /// What it is called with.
    variables: HashMap<VariableId, Vec<Piece>>,
    registers: HashMap<RegisterId, Constant>,
    /// What each function that it calls gives back, result by result.
    returned: HashMap<FunctionId, Vec<Vec<Piece>>>,
    /// What the last calls gave back.
    given: HashMap<VariableId, Vec<Piece>>,
    last: Vec<Option<Constant>>,
}

/// A constant that is stored to a part of a variable.
#[derive(Clone, Copy)]
struct Piece {
    /// Bytes from the beginning.
    offset: i64,
    size: i64,
    bits: u64,
}

/// A store to a `.param` variable.
struct Store {
    variable: VariableId,
    offset: i64,
    size: i64,
    bits: Option<u64>,
}

impl Passed {
    /// What calls pass to a function, and what it finds in what it calls.
    pub(super) fn to(module: &Module, id: FunctionId) -> Self {
        let function = &module.functions[id.0 as usize];
        let mut passed = Self::default();
        if !function.entry {
            passed.arguments(module, id);
        }
        for call in function.body.iter().filter_map(call) {
            if let Callee::Function(callee) = call.callee {
                passed.returned.entry(callee).or_insert_with(|| results(module, callee));
            }
        }
        passed
    }

    /// The parameters of a function that is called in one place.
    fn arguments(&mut self, module: &Module, id: FunctionId) {
        let sites = module.functions.iter().flat_map(|caller| {
            let calls = caller.body.iter().enumerate().filter_map(|(index, it)| Some((index, call(it)?)));
            calls
                .filter(|(_, call)| call.callee == Callee::Function(id))
                .map(move |(index, call)| (caller, index, call))
        });
        let sites: Vec<(&Function, usize, &CallOperands)> = sites.take(2).collect();
        let [(caller, index, call)] = sites[..] else { return };
        if is_pointed_at(module, id) {
            return;
        }
        let (stores, registers) = before(caller, index);
        let parameters = &module.functions[id.0 as usize].parameters;
        for (argument, parameter) in call.arguments.iter().zip(parameters) {
            match (argument, parameter.variable, parameter.register) {
                (CallArgument::Variable(from), Some(to), _) => {
                    self.variables.insert(to, pieces(stores.iter().filter(|store| store.variable == *from)));
                }
                (CallArgument::Register(from), _, Some(to)) => {
                    let operand = Operand::Register { id: *from, negated: false };
                    self.registers
                        .extend(registers.constant(&operand, parameter.ty).map(|it| (to, handed(it))));
                }
                (CallArgument::Immediate(immediate), _, Some(to)) => {
                    let bits = folded::bits_of(*immediate, parameter.ty);
                    self.registers.insert(to, Constant { bits, is_passed: true });
                }
                _ => {}
            }
        }
    }

    /// The registers of parameters that hold a constant.
    pub(super) fn registers(&self) -> &HashMap<RegisterId, Constant> {
        &self.registers
    }

    /// Notes a call.
    pub(super) fn call(&mut self, call: &CallOperands, is_certain: bool) {
        self.last.clear();
        let results = match call.callee {
            Callee::Function(callee) if is_certain => self.returned.get(&callee).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        for (place, to) in call.returns.iter().enumerate() {
            let pieces = results.get(place).cloned().unwrap_or_default();
            let whole = pieces.first().filter(|piece| piece.offset == 0);
            self.last.push(whole.map(|piece| Constant { bits: piece.bits, is_passed: true }));
            if let CallArgument::Variable(variable) = to {
                self.given.insert(*variable, pieces);
            }
        }
    }

    /// What the last call gave back, result by result.
    pub(super) fn results(&self) -> &[Option<Constant>] {
        &self.last
    }

    /// Forgets what calls gave back.
    pub(super) fn forget(&mut self) {
        self.given.clear();
    }

    /// The constant that a load reads as its element of this number.
    pub(super) fn loaded(&self, load: &Instruction, element: u64) -> Option<Constant> {
        let (variable, offset) = parameter(load, load.operands.get(1)?)?;
        let ty = load.types.first().copied().filter(|ty| ty.size() <= 8)?;
        let size = i64::from(ty.size());
        let offset = offset + size * element as i64;
        let pieces = self.variables.get(&variable).or_else(|| self.given.get(&variable))?;
        let holds = |piece: &&Piece| piece.offset <= offset && offset + size <= piece.offset + piece.size;
        let piece = pieces.iter().find(holds)?;
        let bits = piece.bits >> (8 * (offset - piece.offset)) & folded::mask(ty);
        Some(Constant { bits: folded::extended(bits, ty), is_passed: true })
    }
}

/// A constant behind the call that passes it.
fn handed(constant: Constant) -> Constant {
    Constant { is_passed: true, ..constant }
}

/// The call that an instruction is.
pub(super) fn call(instruction: &Instruction) -> Option<&CallOperands> {
    match instruction.operands.first() {
        Some(Operand::Call(call)) => Some(call),
        _ => None,
    }
}

/// The `.param` variable that an access names, and where in it.
fn parameter(access: &Instruction, address: &Operand) -> Option<(VariableId, i64)> {
    match address {
        Operand::Address { base: AddressBase::Variable(variable), offset, .. }
            if access.spaces.contains(&Space::Param) =>
        {
            Some((*variable, *offset))
        }
        _ => None,
    }
}

/// Whether the address of a function stands anywhere.
fn is_pointed_at(module: &Module, id: FunctionId) -> bool {
    let operands = module.functions.iter().flat_map(|it| &it.body).flat_map(|it| &it.operands);
    let relocations = module.variables.iter().flat_map(|it| &it.relocations);
    operands.into_iter().any(|operand| *operand == Operand::FunctionAddress(id))
        || relocations.into_iter().any(|it| it.symbol == RelocationSymbol::Function(id))
}

/// What a function stores to `.param` variables before an instruction, since the call before that has the same variable, and what its registers hold there.
fn before(function: &Function, end: usize) -> (Vec<Store>, Written<'_>) {
    let mut written = Written::within(function);
    let mut stores: Vec<Store> = Vec::new();
    for (index, instruction) in function.body.iter().enumerate().take(end) {
        written.reach(index as u32);
        if let Some(call) = call(instruction) {
            stores.retain(|store| !call.arguments.contains(&CallArgument::Variable(store.variable)));
        }
        if instruction.opcode == Opcode::St {
            stored(&mut stores, instruction, &written);
        }
        written.note(index as u32, instruction);
    }
    (stores, written)
}

/// Adds the elements that an instruction stores to a `.param` variable.
fn stored(stores: &mut Vec<Store>, store: &Instruction, written: &Written<'_>) {
    let [address, stored] = &store.operands[..] else { return };
    let (Some((variable, offset)), Some(ty)) = (parameter(store, address), store.types.first()) else {
        return;
    };
    let elements =
        if let Operand::Vector(parts) = stored { &parts[..] } else { std::slice::from_ref(stored) };
    let size = i64::from(ty.size());
    for (element, operand) in elements.iter().enumerate() {
        let known = written.constant(operand, bits(*ty));
        let known = known.filter(|it| !it.is_passed && store.guard.is_none()).map(|it| it.bits);
        stores.push(Store { variable, offset: offset + size * element as i64, size, bits: known });
    }
}

/// The type of the bits of a type: what is stored is not converted.
fn bits(ty: Type) -> Type {
    match ty.size() {
        _ if matches!(ty, Type::F32 | Type::F64) => ty,
        1 => Type::B8,
        2 => Type::B16,
        4 => Type::B32,
        _ => Type::B64,
    }
}

/// The constants among stores to one variable; none if one part is stored twice.
fn pieces<'s>(stores: impl Iterator<Item = &'s Store>) -> Vec<Piece> {
    let stores: Vec<&Store> = stores.collect();
    let meets = |a: &Store, b: &Store| a.offset < b.offset + b.size && b.offset < a.offset + a.size;
    let alone = |(place, store): &(usize, &&Store)| {
        !stores.iter().enumerate().any(|(other, it)| other != *place && meets(it, store))
    };
    let known = |store: &Store| Some(Piece { offset: store.offset, size: store.size, bits: store.bits? });
    stores.iter().enumerate().filter(alone).filter_map(|(_, store)| known(store)).collect()
}

/// What a function gives back, result by result.
fn results(module: &Module, id: FunctionId) -> Vec<Vec<Piece>> {
    let function = &module.functions[id.0 as usize];
    let (stores, _) = before(function, function.body.len());
    let of =
        |variable: Option<VariableId>| pieces(stores.iter().filter(|store| Some(store.variable) == variable));
    function.returns.iter().map(|result| of(result.variable)).collect()
}
