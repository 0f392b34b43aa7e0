//! The matrix of instructions: for each access to a surface its geometry and what it does out of bounds, for any other instruction its
//! family alone, with the variants of each by their status.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use warpdiff_judge::surface_access::SurfaceAccess;
use warpdiff_judge::verdict_table::Settled;

use crate::results::finding::FindingLine;
use crate::results::variant::VariantLine;
use crate::standing::{Standing, Statuses};

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// An access to a surface.
    Surface(SurfaceAccess),
    /// Any other instruction, by its family.
    Instruction(String),
    /// Programs of which only the legality is judged.
    Legality,
}

impl Cell {
    /// In words: `suld.b .2d .clamp`.
    fn words(&self) -> String {
        match self {
            Self::Surface(SurfaceAccess { instruction, geometry, clamp }) => match clamp {
                Some(clamp) => format!("{instruction} .{geometry} .{clamp}"),
                None => format!("{instruction} .{geometry}"),
            },
            Self::Instruction(family) => family.clone(),
            Self::Legality => "legality of programs".into(),
        }
    }
}

/// The matrix of a run.
#[derive(Default)]
pub(super) struct Matrix {
    /// The cells, by what they are about.
    numbers: BTreeMap<Cell, usize>,
    /// Of each cell the variants by their status, for each of those that are judged.
    counts: Vec<Vec<Statuses>>,
}

impl Matrix {
    /// The cells of a variant's programs.
    pub(super) fn cells(&mut self, line: &VariantLine, judged: usize) -> Vec<usize> {
        let surfaces: BTreeSet<&str> =
            line.surface_accesses.iter().map(|access| access.instruction.as_str()).collect();
        let others = line.instructions.iter().filter(|family| !surfaces.contains(family.as_str()));
        let accesses = line.surface_accesses.iter().cloned().map(Cell::Surface);
        let all = accesses.chain(others.cloned().map(Cell::Instruction));
        let all: Vec<Cell> = all.chain(line.legality.then_some(Cell::Legality)).collect();
        all.into_iter().map(|cell| self.number(cell, judged)).collect()
    }

    fn number(&mut self, cell: Cell, judged: usize) -> usize {
        let next = self.counts.len();
        let number = *self.numbers.entry(cell).or_insert(next);
        if number == next {
            self.counts.push(vec![Statuses::default(); judged]);
        }
        number
    }

    /// Those of a variant's cells that its findings come from; all, where that is not known.
    pub(super) fn of_findings(&self, findings: &[FindingLine], cells: &[usize]) -> Vec<usize> {
        let number = |cell: Cell| self.numbers.get(&cell).copied().filter(|number| cells.contains(number));
        let of = |finding: &FindingLine| {
            let instruction = finding.instruction.as_ref()?;
            match &instruction.surface_access {
                Some(access) => number(Cell::Surface(access.clone())),
                None => number(Cell::Instruction(instruction.family.clone())),
            }
        };
        let found: BTreeSet<usize> = findings.iter().filter_map(of).collect();
        match found.is_empty() {
            true => cells.to_vec(),
            false => found.into_iter().collect(),
        }
    }

    /// Counts a variant in these cells.
    pub(super) fn count(&mut self, cells: &[usize], judged: usize, settled: Settled) {
        cells.iter().for_each(|cell| self.counts[*cell][judged].add(settled));
    }

    /// The names of the cells, by number.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.counts.len()];
        self.numbers.iter().for_each(|(cell, number)| names[*number] = cell.words());
        names
    }

    /// The matrix for each of those that are judged.
    pub(super) fn markup(&self, judged: &[String]) -> Markup {
        html! {
            @if !self.numbers.is_empty() {
                section aria-labelledby="matrix" {
                    h2 id="matrix" { "Instructions" }
                    p.note {
                        "Variants by the instructions of their programs. A mismatch counts at the instruction that it comes from, "
                        "where that is known. A cell leads to its variants. "
                        @for standing in Standing::ALL {
                            span.key { span class={ "cell " (standing.class()) } { (standing.mark()) } " " (standing.meaning()) } " "
                        }
                    }
                    @for (index, name) in judged.iter().enumerate() {
                        @if judged.len() > 1 { h3 { bdi { (name) } } }
                        (self.surfaces(index, name))
                        (self.others(index, name))
                    }
                }
            }
        }
    }

    /// Accesses to surfaces: a line for each instruction, a column for each geometry under what is done out of bounds.
    fn surfaces(&self, judged: usize, name: &str) -> Markup {
        let accesses: Vec<(&SurfaceAccess, usize)> = self
            .numbers
            .iter()
            .filter_map(|(cell, number)| match cell {
                Cell::Surface(access) => Some((access, *number)),
                _ => None,
            })
            .collect();
        let instructions: BTreeSet<&str> =
            accesses.iter().map(|(access, _)| access.instruction.as_str()).collect();
        let stated = SurfaceAccess::CLAMPS.map(Some).into_iter().chain([None]);
        let groups: Vec<(Option<&str>, Vec<&str>)> = stated
            .filter_map(|clamp| {
                let there = |geometry: &&str| {
                    let is = |(access, _): &(&SurfaceAccess, usize)| {
                        access.clamp.as_deref() == clamp && access.geometry == **geometry
                    };
                    accesses.iter().any(is)
                };
                let geometries: Vec<&str> = SurfaceAccess::GEOMETRIES.into_iter().filter(there).collect();
                (!geometries.is_empty()).then_some((clamp, geometries))
            })
            .collect();
        let number = |instruction: &str, clamp: Option<&str>, geometry: &str| {
            let is = |(access, _): &&(&SurfaceAccess, usize)| {
                access.instruction == instruction
                    && access.clamp.as_deref() == clamp
                    && access.geometry == geometry
            };
            accesses.iter().find(is).map(|(_, number)| *number)
        };
        html! {
            @if !accesses.is_empty() {
                div.scroll { table.matrix {
                    caption { "Surfaces: instruction, clamp and geometry" @if name.is_empty() {} @else { ", " bdi { (name) } } }
                    thead {
                        tr {
                            th scope="col" rowspan="2" { "instruction" }
                            @for (clamp, geometries) in &groups {
                                th.group scope="colgroup" colspan=(geometries.len()) {
                                    @match clamp { Some(clamp) => { "." (clamp) }, None => "no clamp" }
                                }
                            }
                        }
                        tr { @for (_, geometries) in &groups { @for (place, geometry) in geometries.iter().enumerate() {
                            th.group[place == 0] scope="col" { (geometry) }
                        } } }
                    }
                    tbody { @for instruction in &instructions { tr {
                        th scope="row" { code { (instruction) } }
                        @for (clamp, geometries) in &groups { @for (place, geometry) in geometries.iter().enumerate() {
                            @match number(instruction, *clamp, geometry) {
                                Some(number) => (self.cell(number, judged, place == 0)),
                                None => { td.none.group[place == 0] {} },
                            }
                        } }
                    } } }
                } }
            }
        }
    }

    fn cell(&self, number: usize, judged: usize, first: bool) -> Markup {
        let statuses = &self.counts[number][judged];
        let class = statuses.worst().map_or("none", Standing::class);
        html! {
            td.cell.group[first] .(class) id={ "cell-" (judged) "-" (number) } { (self.link(number, judged)) }
        }
    }

    /// All other instructions, those that need a person first.
    fn others(&self, judged: usize, name: &str) -> Markup {
        let others = self.numbers.iter().filter(|(cell, number)| {
            !matches!(cell, Cell::Surface(_)) && self.counts[**number][judged].total() > 0
        });
        let mut others: Vec<(&Cell, usize)> = others.map(|(cell, number)| (cell, *number)).collect();
        // Known failures need no one either.
        others.sort_by_key(|(_, number)| {
            self.counts[*number][judged]
                .worst()
                .filter(|worst| *worst <= Standing::Unsettled)
                .map_or(9, |worst| worst as u8)
        });
        html! {
            @if !others.is_empty() {
                p.caption { "Other instructions" @if !name.is_empty() { ", " bdi { (name) } } }
                ul.chips { @for (cell, number) in others {
                    @let class = self.counts[number][judged].worst().map_or("none", Standing::class);
                    li.cell .(class) id={ "cell-" (judged) "-" (number) } {
                        @match cell {
                            Cell::Legality => span { "legality of programs" },
                            other => code { (other.words()) },
                        }
                        " " (self.link(number, judged))
                    }
                } }
            }
        }
    }

    fn link(&self, number: usize, judged: usize) -> Markup {
        let statuses = &self.counts[number][judged];
        let name = self.numbers.iter().find(|(_, of)| **of == number).map(|(cell, _)| cell.words());
        let words = format!("{}: {}", name.unwrap_or_default(), statuses.long());
        html! {
            @if statuses.total() > 0 {
                a href={ "#cell-" (judged) "-" (number) } title=(words) aria-label=(words) { (statuses.short()) }
            }
        }
    }
}
