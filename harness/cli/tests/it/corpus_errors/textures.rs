//! Textures and their samplers.

use snapbox::{assert_data_eq, str};

use super::errors;

#[test]
fn what_a_sampler_is_not() {
    let text = "
- case: a mode that there is not
  textures: {t: {geometry: 1d, extent: [4], format: f32, address: repeat}}
  body: ret;
  rows: [{}]
- case: too many modes
  textures: {t: {geometry: 1d, extent: [4], format: f32, address: [wrap, wrap, wrap, wrap]}}
  body: ret;
  rows: [{}]
- case: a filter
  textures: {t: {geometry: 1d, extent: [4], format: f32, filter: cubic}}
  body: ret;
  rows: [{}]
- case: floats of floats
  textures: {t: {geometry: 1d, extent: [4], format: u32, read: normalized-float}}
  body: ret;
  rows: [{}]
- case: half a border
  textures: {t: {geometry: 1d, extent: [4], format: f32, border: [0.0, 1.0]}}
  body: ret;
  rows: [{}]
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: unknown address mode `repeat`
 --> cases/test.yaml:3:67
  |
3 |   textures: {t: {geometry: 1d, extent: [4], format: f32, address: repeat}}
  |                                                                   ^^^^^^ expected one of `wrap`, `clamp`, `mirror`, `border`, `clamp-ogl`

error: `address` of texture `t` has 4 modes, not 1 to 3
 --> cases/test.yaml:7:67
  |
7 |   textures: {t: {geometry: 1d, extent: [4], format: f32, address: [wrap, wrap, wrap, wrap]}}
  |                                                                   ^^^^^^^^^^^^^^^^^^^^^^^^

error: unknown filter `cubic`
  --> cases/test.yaml:11:66
   |
11 |   textures: {t: {geometry: 1d, extent: [4], format: f32, filter: cubic}}
   |                                                                  ^^^^^ expected one of `nearest`, `linear`

error: texture `t` has a format that is not read as normalised floats
  --> cases/test.yaml:15:64
   |
15 |   textures: {t: {geometry: 1d, extent: [4], format: u32, read: normalized-float}}
   |                                                                ^^^^^^^^^^^^^^^^ only integers of 8 and 16 bits are

error: `border` of texture `t` has 2 channels, not 4
  --> cases/test.yaml:19:66
   |
19 |   textures: {t: {geometry: 1d, extent: [4], format: f32, border: [0.0, 1.0]}}
   |                                                                  ^^^^^^^^^^
"#]]
    );
}

#[test]
fn names_of_textures() {
    let text = "
- case: two of a name
  surfaces: {t: {geometry: 1d, extent: [4], format: f32}}
  textures: {t: {geometry: 1d, extent: [4], format: f32}}
  body: ret;
  rows: [{}]
- case: a table binds by itself
  textures: {t: {geometry: 1d, extent: [4], format: f32, bind: u}}
  body: ret;
  rows: [{}]
- case: bound to a surface
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .global .surfref s;
    .visible .entry k() { ret; }
  launch: {entry: k, arguments: []}
  textures: {t: {geometry: 1d, extent: [4], format: f32, bind: s}}
- case: no such texture
  program: |
    .version 8.0
    .target sm_50
    .address_size 64
    .visible .entry k(.param .u64 p) { ret; }
  launch: {entry: k, arguments: [{texture: u}]}
  textures: {t: {geometry: 1d, extent: [4], format: f32}}
";
    assert_data_eq!(
        errors(text),
        str![[r#"
error: `t` names a surface and a texture
 --> cases/test.yaml:4:14
  |
4 |   textures: {t: {geometry: 1d, extent: [4], format: f32}}
  |              ^

error: `bind` is for whole programs: a table binds what its body names
 --> cases/test.yaml:8:13
  |
8 |   textures: {t: {geometry: 1d, extent: [4], format: f32, bind: u}}
  |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the program has no `.texref` variable `s`
  --> cases/test.yaml:19:13
   |
19 |   textures: {t: {geometry: 1d, extent: [4], format: f32, bind: s}}
   |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ none is defined here

error: no texture is called `u`
  --> cases/test.yaml:26:44
   |
26 |   launch: {entry: k, arguments: [{texture: u}]}
   |                                            ^ expected `t`
"#]]
    );
}
