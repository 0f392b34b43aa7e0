//! The serialisation check for exchanges: Eulerian trails through values.

use std::collections::HashMap;

/// Values as vertices, operations as edges.
#[derive(Default)]
pub(super) struct Values {
    index: HashMap<u64, usize>,
    value: Vec<u64>,
    /// Edges out, and in.
    degree: Vec<(u64, u64)>,
    /// Union-find over connected vertices.
    parent: Vec<usize>,
}

impl Values {
    pub(super) fn index(&mut self, value: u64) -> usize {
        *self.index.entry(value).or_insert_with(|| {
            self.value.push(value);
            self.degree.push((0, 0));
            self.parent.push(self.parent.len());
            self.parent.len() - 1
        })
    }

    pub(super) fn connect(&mut self, from: u64, to: u64) {
        let (from, to) = (self.index(from), self.index(to));
        self.degree[from].0 += 1;
        self.degree[to].1 += 1;
        let (a, b) = (self.root(from), self.root(to));
        self.parent[a] = b;
    }

    /// Whether a trail through all edges and ends passes another value than this one.
    pub(super) fn passes_other_than(&self, value: u64) -> bool {
        self.value.is_empty() || self.value.iter().any(|other| *other != value)
    }

    fn root(&mut self, mut vertex: usize) -> usize {
        while self.parent[vertex] != vertex {
            self.parent[vertex] = self.parent[self.parent[vertex]];
            vertex = self.parent[vertex];
        }
        vertex
    }

    /// Whether all edges form one trail, from `initial` and to `last` where those are given.
    pub(super) fn trail(&mut self, initial: Option<usize>, last: Option<usize>) -> Result<(), String> {
        let Some(edge) = (0..self.value.len()).find(|v| self.degree[*v].0 > 0) else {
            return match (initial, last) {
                (Some(a), Some(b)) if a != b => {
                    Err(format!("nothing changed {:#x}, but {:#x} was found", self.value[a], self.value[b]))
                }
                _ => Ok(()),
            };
        };
        let component = self.root(edge);
        if let Some(other) =
            (0..self.value.len()).find(|v| self.degree[*v] != (0, 0) && self.root(*v) != component)
        {
            return Err(format!(
                "no operation leads from {:#x} to {:#x}",
                self.value[edge], self.value[other]
            ));
        }
        let ends = self.ends()?;
        self.fits(initial, ends.map(|(start, _)| start), component, "begin", "initial")?;
        self.fits(last, ends.map(|(_, end)| end), component, "end", "final")?;
        match (ends, initial, last) {
            (None, Some(a), Some(b)) if a != b => Err(format!(
                "the operations lead from {:#x} back to it, but {:#x} was found at the end",
                self.value[a], self.value[b]
            )),
            _ => Ok(()),
        }
    }

    /// The two vertices at which a trail has to begin and end; `None` when it is closed.
    fn ends(&self) -> Result<Option<(usize, usize)>, String> {
        let (mut start, mut end) = (None, None);
        for (vertex, (out, into)) in self.degree.iter().enumerate() {
            let value = self.value[vertex];
            let slot = match (*out, *into) {
                (out, into) if out == into => continue,
                (out, into) if out == into + 1 => &mut start,
                (out, into) if into == out + 1 => &mut end,
                _ => {
                    return Err(format!(
                        "{value:#x} was returned {out} times, and {into} operations lead to it"
                    ));
                }
            };
            if slot.replace(vertex).is_some() {
                return Err(format!("{value:#x} was returned {out} times, and {into} operations lead to it"));
            }
        }
        Ok(start.zip(end))
    }

    /// Whether a known end is where the trail has it.
    fn fits(
        &mut self,
        known: Option<usize>,
        required: Option<usize>,
        component: usize,
        verb: &str,
        name: &str,
    ) -> Result<(), String> {
        let Some(known) = known else { return Ok(()) };
        match required {
            Some(required) if required != known => Err(format!(
                "the operations {verb} with {:#x}, but the {name} value is {:#x}",
                self.value[required], self.value[known]
            )),
            None if self.root(known) != component => {
                Err(format!("no operation returned the {name} value {:#x} or leads to it", self.value[known]))
            }
            _ => Ok(()),
        }
    }
}
