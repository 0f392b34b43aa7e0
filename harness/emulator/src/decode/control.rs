//! Branches, calls and the end.

use warpdiff_model::Deviation;
use warpdiff_ptx::checked::{CallArgument, CallOperands, Callee, Function, Operand, Parameter};
use warpdiff_ptx::vocabulary::{Opcode, Type};

use super::{Decode, Decoder, class_of};
use crate::decoded::VariablePlace;
use crate::operation::{Call, CallTarget, Class, Code, Collective, Guard, Slot, SystemCall, Transfer};
use warpdiff_semantics::collective::CollectiveKind;

impl Decoder<'_> {
    /// Branches, calls and the end.
    pub(super) fn control(&mut self) -> Decode {
        match self.instruction.opcode {
            Opcode::Bra => self.branch(),
            Opcode::Brx => self.branch_table(),
            Opcode::Call => self.call(),
            Opcode::Ret => self.simple(Code::Return),
            Opcode::Exit => self.simple(Code::Exit),
            Opcode::Trap => self.simple(Code::Trap),
            // These wait or count; no program can see a difference.
            Opcode::Nanosleep | Opcode::Pmevent => self.simple(Code::Nop),
            _ => Err(self.unsupported()),
        }
    }

    fn simple(&mut self, code: Code) -> Decode {
        self.emit(code, 0, [0; 3], 0);
        Ok(())
    }

    fn branch(&mut self) -> Decode {
        let Operand::Label(target) = self.operand(0)? else {
            return Err(self.unsupported_because("this kind of target"));
        };
        let written = self.guard;
        if self.deviates(Deviation::BraUniform) {
            self.guard = self.any_lane(written);
        }
        self.jumps.push(self.out.ops.len());
        self.emit(Code::Branch, 0, [0; 3], *target);
        self.guard = written;
        Ok(())
    }

    /// A guard that holds where the given one does in one of the lanes that run together.
    fn any_lane(&mut self, guard: Guard) -> Guard {
        let Some(index) = guard.predicate() else { return guard };
        let source = Slot { class: Class::Predicate, index };
        let destination = Some(self.temporary(Class::Predicate));
        let (kind, negated) = (CollectiveKind::VoteAny, guard.flip() != 0);
        let x = self.out.collectives.len() as u32;
        let vote =
            Collective { kind, destination, predicate: None, source, negated, lane: None, members: None };
        self.out.collectives.push(vote);
        self.emit_unguarded(Code::Collective, 0, [0; 3], x);
        destination.map_or(guard, |slot| Guard::new(slot.index, false))
    }

    fn branch_table(&mut self) -> Decode {
        let index = self.source(0, Type::U32)?;
        let Operand::BranchTargets(list) = self.operand(1)? else {
            return Err(self.unsupported_because("this kind of target"));
        };
        let targets = self.function.branch_targets[*list as usize].clone();
        let x = self.out.tables.len() as u32;
        self.out.tables.push(targets);
        self.jumps.push(self.out.ops.len());
        self.emit(Code::BranchTable, 0, [index.index, 0, 0], x);
        Ok(())
    }

    fn call(&mut self) -> Decode {
        let Operand::Call(call) = self.operand(0)? else {
            return Err(self.unsupported_because("this kind of callee"));
        };
        let module = self.module;
        let (callee, parameters, returns) = match call.callee {
            Callee::Function(id) => {
                let function = &module.functions[id.0 as usize];
                let target = match function.external {
                    true => CallTarget::System(self.system_call(function)?),
                    false => CallTarget::Function(id.0),
                };
                (target, &function.parameters, &function.returns)
            }
            Callee::Indirect { register, prototype } => {
                let prototype = &self.function.prototypes[prototype as usize];
                (
                    CallTarget::Indirect(self.register(register).index),
                    &prototype.parameters,
                    &prototype.returns,
                )
            }
        };
        let (arguments, returns) = self.transfers(call, parameters, returns)?;
        let x = self.out.calls.len() as u32;
        self.out.calls.push(Call { callee, arguments, returns });
        self.emit(Code::Call, 0, [0; 3], x);
        Ok(())
    }

    /// The function of the device runtime that a function without a body is.
    fn system_call(&self, function: &Function) -> Decode<SystemCall> {
        let name = &function.name;
        let Some(system_call) = SystemCall::from_name(name) else {
            let why = match name.as_str() {
                "malloc" | "free" => format!("`{name}`: a kernel has no heap"),
                "cudaLaunchDeviceV2" | "cudaGetParameterBufferV2" | "cudaDeviceSynchronize" => {
                    format!("`{name}`: a kernel launches no kernels")
                }
                _ => format!("`{name}` has no body"),
            };
            return Err(self.unsupported_because(&why));
        };
        let sizes = |list: &[Parameter]| list.iter().map(|parameter| parameter.size).collect::<Vec<_>>();
        let (parameters, returns) = system_call.signature();
        if sizes(&function.parameters) != parameters || sizes(&function.returns) != returns {
            let why = format!("`{name}` with other parameters than those of the device runtime");
            return Err(self.unsupported_because(&why));
        }
        Ok(system_call)
    }

    fn transfers(
        &mut self,
        call: &CallOperands,
        parameters: &[Parameter],
        returns: &[Parameter],
    ) -> Decode<(Vec<Transfer>, Vec<Transfer>)> {
        let mut convert = |list: &[CallArgument], formal: &[Parameter]| {
            let ty = |n: usize| formal.get(n).map_or(Type::B32, |parameter| parameter.ty);
            list.iter()
                .enumerate()
                .map(|(n, argument)| self.transfer(argument, ty(n)))
                .collect::<Decode<Vec<_>>>()
        };
        Ok((convert(&call.arguments, parameters)?, convert(&call.returns, returns)?))
    }

    fn transfer(&mut self, argument: &CallArgument, ty: Type) -> Decode<Transfer> {
        match argument {
            CallArgument::Variable(id) => match self.place(*id) {
                VariablePlace::Frame { offset } => {
                    let size = self.module.variables[id.0 as usize].size as u32;
                    Ok(Transfer::Frame { offset, size })
                }
                _ => Err(self.unsupported_because("this kind of argument")),
            },
            CallArgument::Register(id) => Ok(Transfer::Register(self.register(*id))),
            CallArgument::Immediate(immediate) => {
                let value = self.immediate(*immediate, ty);
                Ok(Transfer::Register(self.constant(class_of(ty), value)))
            }
        }
    }
}
