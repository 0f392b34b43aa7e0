//! Buffers, surfaces and what is expected of memory.

use snapbox::{assert_data_eq, str};

use super::{errors, errors_of_lines};

#[test]
fn an_unknown_format() {
    let lines = "
  surfaces:
    image: {geometry: 2d, extent: [4, 3], format: u32x3, texels: sequence}
";
    assert_data_eq!(
        errors_of_lines(lines),
        str![[r#"
error: unknown texel format `u32x3`: expected a channel type (u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 snorm16), alone or followed by x2 or x4
 --> cases/test.yaml:4:51
  |
4 |     image: {geometry: 2d, extent: [4, 3], format: u32x3, texels: sequence}
  |                                                   ^^^^^
"#]]
    );
}

#[test]
fn surfaces_of_the_wrong_shape() {
    let text = "
- case: layers of a surface without them
  surfaces: {image: {geometry: 2d, extent: [4, 3], layers: 2, format: u32}}
  body: ret;
  rows: [{}]
- case: an array without layers
  surfaces: {image: {geometry: a2d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: a dimension missing
  surfaces: {image: {geometry: 3d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: a dimension too many
  surfaces: {image: {geometry: 1d, extent: [4, 3], format: u32}}
  body: ret;
  rows: [{}]
- case: too large
  surfaces: {image: {geometry: 3d, extent: [4096, 4096, 64], format: u32x4}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: surface `image` has layers, but its geometry has none
 --> cases/test.yaml:3:60
  |
3 |   surfaces: {image: {geometry: 2d, extent: [4, 3], layers: 2, format: u32}}
  |                                                            ^

error: surface `image` lacks `layers`
 --> cases/test.yaml:7:21
  |
7 |   surfaces: {image: {geometry: a2d, extent: [4, 3], format: u32}}
  |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: `extent` of surface `image` has 2 numbers
  --> cases/test.yaml:11:44
   |
11 |   surfaces: {image: {geometry: 3d, extent: [4, 3], format: u32}}
   |                                            ^^^^^^ this geometry has 3

error: surface `image` has more dimensions than its geometry
  --> cases/test.yaml:15:48
   |
15 |   surfaces: {image: {geometry: 1d, extent: [4, 3], format: u32}}
   |                                                ^ expected 1, or nothing

error: surface `image` has 17179869184 bytes, more than 67108864
  --> cases/test.yaml:19:21
   |
19 |   surfaces: {image: {geometry: 3d, extent: [4096, 4096, 64], format: u32x4}}
   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"#]]
    );
}

#[test]
fn contents_that_do_not_fit() {
    let text = "
- case: too many
  buffers: {m: {type: u16, count: 2, values: [1, 2, 3]}}
  body: ret;
  rows: [{}]
- case: too wide
  buffers: {m: {type: u16, values: [1, 65536]}}
  body: ret;
  rows: [{}]
- case: how many
  buffers: {m: {type: u16, values: sequence}}
  body: ret;
  rows: [{}]
- case: taken
  buffers: {out: {type: u16, count: 1}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: 3 values for buffer `m`
 --> cases/test.yaml:3:46
  |
3 |   buffers: {m: {type: u16, count: 2, values: [1, 2, 3]}}
  |                                              ^^^^^^^^^ it has 2 elements

error: element 1 of buffer `m` cannot be `65536`
 --> cases/test.yaml:7:40
  |
7 |   buffers: {m: {type: u16, values: [1, 65536]}}
  |                                        ^^^^^ expected 0 to 65535

error: buffer `m` lacks `count`
  --> cases/test.yaml:11:16
   |
11 |   buffers: {m: {type: u16, values: sequence}}
   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the name `out` is reserved for the harness
  --> cases/test.yaml:15:13
   |
15 |   buffers: {out: {type: u16, count: 1}}
   |             ^^^
"#]]
    );
}

#[test]
fn memory_that_is_not_there() {
    let text = "
- case: stores
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  rows:
    - {memory: {n: [0, 0]}}
    - {memory: {m: [0, 0, 0]}}
    - {memory: {m: {2: 0}}}
    - {image: {m: [0]}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: no buffer is called `n`
 --> cases/test.yaml:6:17
  |
6 |     - {memory: {n: [0, 0]}}
  |                 ^ expected `m`

error: 3 values for buffer `m`
 --> cases/test.yaml:7:20
  |
7 |     - {memory: {m: [0, 0, 0]}}
  |                    ^^^^^^^^^ it has 2 elements

error: `2` is not an element of buffer `m`
 --> cases/test.yaml:8:21
  |
8 |     - {memory: {m: {2: 0}}}
  |                     ^ expected an index below 2 or `numbers`

error: no surface is called `m`
 --> cases/test.yaml:9:16
  |
9 |     - {image: {m: [0]}}
  |                ^ another kind of memory has this name
  |
  = note: what buffer `m` holds afterwards stands under `memory`: `memory: {m: …}`
"#]]
    );
}

#[test]
fn what_rows_together_and_apart_cannot_state() {
    let text = "
- case: stores
  buffers: {m: {type: u16, count: 2}}
  launch: together
  body: ret;
  rows: [{memory: {m: [0, 0]}}]
- case: loads
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  rows: [{}]
  expect: {memory: {m: [0, 0]}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: rows that are launched together share one outcome: state it in `expect` of the case
 --> cases/test.yaml:6:11
  |
6 |   rows: [{memory: {m: [0, 0]}}]
  |           ^^^^^^

error: `expect` is for rows launched together
  --> cases/test.yaml:11:3
   |
11 |   expect: {memory: {m: [0, 0]}}
   |   ^^^^^^ these rows are isolated from each other
   |
   = note: each isolated row has memory of its own and states it itself: `{…, image: {NAME: …}}`, `{…, memory: {NAME: …}}`, `{…, fault: CLASS}`; `launch: together` makes all rows the threads of one block
"#]]
    );
}

/// An observation is what one target leaves behind: of rows that share a launch, a value for each, and a definite one.
#[test]
fn observations_of_targets() {
    let text = "
- case: isolated rows
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  rows: [{}]
  observations: {refused: [{memory: {m: [1, 1]}}]}
- case: shared launches
  buffers: {m: {type: u16, count: 2}}
  outputs: {d: u32}
  body: mov.u32 %d, 1;
  launch: together
  rows: [{}, {}]
  observations: {admitted: [{outputs: {d: [1]}}]}
- case: alternatives
  buffers: {m: {type: u16, count: 2}}
  body: ret;
  launch: together
  rows: [{}, {}]
  observations: {admitted: [{memory: {m: [{any: [1, 2]}, ~]}}]}
- case: another column
  outputs: {d: u32}
  body: mov.u32 %d, 1;
  launch: together
  rows: [{}, {}]
  observations: {refused: [{outputs: {e: [1, 2]}}]}
- case: no verdict
  outputs: {d: u32}
  body: mov.u32 %d, 1;
  launch: together
  rows: [{}, {}]
  observations: {}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `observations` is for rows launched together
 --> cases/test.yaml:6:3
  |
6 |   observations: {refused: [{memory: {m: [1, 1]}}]}
  |   ^^^^^^^^^^^^ these rows are isolated from each other
  |
  = note: an observation is of a launch: `launch: together` makes all rows the threads of one block

error: a list of 1 for 2 rows
  --> cases/test.yaml:13:43
   |
13 |   observations: {admitted: [{outputs: {d: [1]}}]}
   |                                           ^^^ expected a value for each row

error: a target has one value there
  --> cases/test.yaml:19:43
   |
19 |   observations: {admitted: [{memory: {m: [{any: [1, 2]}, ~]}}]}
   |                                           ^^^^^^^^^^^^^ expected a value: what targets may do is stated by several observations

error: no output is called `e`
  --> cases/test.yaml:25:39
   |
25 |   observations: {refused: [{outputs: {e: [1, 2]}}]}
   |                                       ^ expected `d`

error: `observations` states none: it needs `admitted` or `refused`
  --> cases/test.yaml:31:17
   |
31 |   observations: {}
   |                 ^^
"#]]
    );
}

/// Contents afterwards stand below the key `memory` or `image` and the name of the region, which nobody guesses.
#[test]
fn contents_afterwards_in_the_wrong_place() {
    let case = "
- case: stores
  buffers: {m: {type: u16, count: 2}}
  surfaces: {img: {geometry: 1d, extent: [4], format: u32}}
  textures: {pic: {geometry: 1d, extent: [4], format: u32}}
  body: sust.b.1d.b32.trap [img, {0}], 7;
  rows:
    - {image: [7, 0, 0, 0]}
    - {image: {0: 7}}
    - {img: {0: 7}}
    - {memory: {img: {0: 7}}}
    - {m: [0, 0]}
    - {memory: {pic: [0, 0, 0, 0]}}
    - {image: {omg: {0: 7}}}
";
    assert_data_eq!(
        errors(case),
        str![[r#"
error: `image` is a list
 --> cases/test.yaml:8:15
  |
8 |     - {image: [7, 0, 0, 0]}
  |               ^^^^^^^^^^^^ expected a map from names of surfaces to their contents: `image: {img: {0: 7}}`

error: no surface is called `0`
 --> cases/test.yaml:9:16
  |
9 |     - {image: {0: 7}}
  |                ^ expected the name of a surface
  |
  = note: the keys of `image` are names, and elements stand below them: `image: {img: {0: 7}}`

error: unknown key `img` of a row
  --> cases/test.yaml:10:8
   |
10 |     - {img: {0: 7}}
   |        ^^^ expected one of `fault`, `may-fault`, `image`, `memory`
   |
   = note: what surface `img` holds afterwards stands under `image`: `image: {img: …}`

error: no buffer is called `img`
  --> cases/test.yaml:11:17
   |
11 |     - {memory: {img: {0: 7}}}
   |                 ^^^ another kind of memory has this name
   |
   = note: what surface `img` holds afterwards stands under `image`: `image: {img: …}`

error: unknown key `m` of a row
  --> cases/test.yaml:12:8
   |
12 |     - {m: [0, 0]}
   |        ^ expected one of `fault`, `may-fault`, `image`, `memory`
   |
   = note: what buffer `m` holds afterwards stands under `memory`: `memory: {m: …}`

error: no buffer is called `pic`
  --> cases/test.yaml:13:17
   |
13 |     - {memory: {pic: [0, 0, 0, 0]}}
   |                 ^^^ another kind of memory has this name
   |
   = note: `pic` is a texture, which no instruction writes: nothing is stated of it

error: no surface is called `omg`
  --> cases/test.yaml:14:16
   |
14 |     - {image: {omg: {0: 7}}}
   |                ^^^ expected `img`
   |
   = note: did you mean `img`?
"#]]
    );
}

#[test]
fn memory_without_end() {
    let text = "
- case: loads
  matrix: {a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}
  buffers: {m: {type: u8, count: 50000000}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: the cases of this file need more than 512 MiB of memory
 --> cases/test.yaml:4:16
  |
4 |   buffers: {m: {type: u8, count: 50000000}}
  |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = note: in 50 of 55 variants, the first is `[a=0,b=5]`
"#]]
    );
}

#[test]
fn layers_of_a_cube() {
    let text = "
- case: c
  textures: {image: {geometry: cube, extent: [4, 4], layers: 6, format: u32}}
  body: ret;
  rows: [{}]
";
    let words = errors(text);
    assert!(words.contains("`image` is one cube: its layers are its six faces"), "{words}");
    assert!(words.contains("^ leave `layers` out, or take `geometry: acube`"), "{words}");
}
