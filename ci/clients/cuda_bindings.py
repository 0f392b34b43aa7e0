"""Drives libcuda through NVIDIA's own Python bindings, and nothing of this project.

Run by ci/clients.sh and by harness/libcuda/tests/python.rs with the library of the emulator as libcuda.so.1; it runs as well against a
real driver.
"""

import array
import ctypes
import math
import sys

from cuda.bindings import driver as cuda

PTX = b"""
.version 8.0
.target sm_50
.address_size 64

.visible .entry scale(.param .u64 data, .param .u32 factor)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [data];
    ld.param.u32 %r0, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.u64 %rd0, %rd0, %rd1;
    ld.global.u32 %r2, [%rd0];
    mul.lo.u32 %r2, %r2, %r0;
    st.global.u32 [%rd0], %r2;
    ret;
}

.visible .entry paint(.param .u64 surface)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd;
    ld.param.u64 %rd, [surface];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %tid.y;
    mad.lo.u32 %r2, %r1, 16, %r0;
    shl.b32 %r3, %r0, 2;
    sust.b.2d.b32.trap [%rd, {%r3, %r1}], %r2;
    ret;
}

.visible .entry sample(.param .u64 texture, .param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    .reg .f32 %f<6>;
    ld.param.u64 %rd0, [texture];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    cvt.rn.f32.u32 %f0, %r0;
    mul.f32 %f0, %f0, 0f3F000000;
    mov.f32 %f1, 0f3F800000;
    tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {%f0, %f1}];
    mul.wide.u32 %rd2, %r0, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.f32 [%rd1], %f2;
    ret;
}

.visible .entry stop()
{
    trap;
}
"""


def ok(answer):
    """The values of a call that must succeed."""
    code, *values = answer
    assert code == cuda.CUresult.CUDA_SUCCESS, code
    return values[0] if len(values) == 1 else values


def launch(kernel, block, values, types):
    ok(cuda.cuLaunchKernel(kernel, 1, 1, 1, *block, 0, 0, (values, types), 0))


def scales_a_buffer(module):
    kernel = ok(cuda.cuModuleGetFunction(module, b"scale"))
    data = array.array("I", [1, 2, 3, 2**31 + 5])
    size = len(data) * data.itemsize
    device = ok(cuda.cuMemAlloc(size))
    ok(cuda.cuMemcpyHtoD(device, data.buffer_info()[0], size))
    start, end = ok(cuda.cuEventCreate(0)), ok(cuda.cuEventCreate(0))
    ok(cuda.cuEventRecord(start, 0))
    launch(kernel, (4, 1, 1), (device, 2), (None, ctypes.c_uint32))
    ok(cuda.cuEventRecord(end, 0))
    ok(cuda.cuCtxSynchronize())
    assert ok(cuda.cuEventElapsedTime(start, end)) >= 0
    ok(cuda.cuMemcpyDtoH(data.buffer_info()[0], device, size))
    # The last product is taken modulo 2**32.
    assert data.tolist() == [2, 4, 6, 10], data
    ok(cuda.cuMemFree(device))


def paints_a_surface(module):
    descriptor = cuda.CUDA_ARRAY3D_DESCRIPTOR()
    descriptor.Width, descriptor.Height, descriptor.Depth = 4, 3, 0
    descriptor.Format = cuda.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT32
    descriptor.NumChannels = 1
    descriptor.Flags = cuda.CUDA_ARRAY3D_SURFACE_LDST
    image = ok(cuda.cuArray3DCreate(descriptor))
    resource = cuda.CUDA_RESOURCE_DESC()
    resource.resType = cuda.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = image
    surface = ok(cuda.cuSurfObjectCreate(resource))
    launch(ok(cuda.cuModuleGetFunction(module, b"paint")), (4, 3, 1), (int(surface),), (ctypes.c_uint64,))
    ok(cuda.cuCtxSynchronize())
    texels = array.array("I", [0] * 12)
    copy = cuda.CUDA_MEMCPY2D()
    copy.srcMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_ARRAY
    copy.srcArray = image
    copy.dstMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.dstHost = texels.buffer_info()[0]
    copy.dstPitch = copy.WidthInBytes = 16
    copy.Height = 3
    ok(cuda.cuMemcpy2D(copy))
    # Thread (x, y) stored 16 * y + x.
    assert texels.tolist() == [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35], texels
    ok(cuda.cuSurfObjectDestroy(surface))
    ok(cuda.cuArrayDestroy(image))


def make_array(width, height, format, flags, data):
    """A two-dimensional array of one channel that holds these elements of four bytes."""
    descriptor = cuda.CUDA_ARRAY3D_DESCRIPTOR()
    descriptor.Width, descriptor.Height, descriptor.Depth = width, height, 0
    descriptor.Format, descriptor.NumChannels, descriptor.Flags = format, 1, flags
    image = ok(cuda.cuArray3DCreate(descriptor))
    copy = cuda.CUDA_MEMCPY2D()
    copy.srcMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.srcHost = data.buffer_info()[0]
    copy.dstMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_ARRAY
    copy.dstArray = image
    copy.srcPitch = copy.WidthInBytes = 4 * width
    copy.Height = height
    ok(cuda.cuMemcpy2D(copy))
    return image


def linear_1d(row, x):
    """A row of texels at x, as the programming guide has linear filtering: weights of 8 fractional bits between the texels around
    x - 0.5, clamped at the borders."""
    left = math.floor(x - 0.5)
    weight = math.floor((x - 0.5 - left) * 256 + 0.5) / 256
    at = lambda n: row[max(0, min(n, len(row) - 1))]
    return (1 - weight) * at(left) + weight * at(left + 1)


def samples_a_texture(module):
    # Multiples of 256, so that the products with the weights are exact.
    rows = [[256.0 * (4 * y + x) for x in range(4)] for y in range(3)]
    texels = array.array("f", sum(rows, []))
    image = make_array(4, 3, cuda.CUarray_format.CU_AD_FORMAT_FLOAT, 0, texels)
    resource = cuda.CUDA_RESOURCE_DESC()
    resource.resType = cuda.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = image
    sampler = cuda.CUDA_TEXTURE_DESC()
    sampler.addressMode = [cuda.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP] * 3
    sampler.filterMode = cuda.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
    texture = ok(cuda.cuTexObjectCreate(resource, sampler, None))
    threads = 10
    out = ok(cuda.cuMemAlloc(4 * threads))
    kernel = ok(cuda.cuModuleGetFunction(module, b"sample"))
    launch(kernel, (threads, 1, 1), (int(texture), out), (ctypes.c_uint64, None))
    ok(cuda.cuCtxSynchronize())
    got = array.array("f", [0] * threads)
    ok(cuda.cuMemcpyDtoH(got.buffer_info()[0], out, 4 * threads))
    # y = 1 lies in the middle between the rows 0 and 1; x is half the number of the thread.
    expected = [(linear_1d(rows[0], n / 2) + linear_1d(rows[1], n / 2)) / 2 for n in range(threads)]
    assert got.tolist() == expected, (got, expected)
    ok(cuda.cuTexObjectDestroy(texture))
    ok(cuda.cuArrayDestroy(image))
    ok(cuda.cuMemFree(out))


def reads_the_log():
    log = bytearray(4096)
    option = cuda.CUjit_option
    keys = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    wrong = PTX.replace(b"mul.lo.u32", b"mull.lo.u32")
    code, _ = cuda.cuModuleLoadDataEx(wrong, len(keys), keys, [log, len(log)])
    assert code == cuda.CUresult.CUDA_ERROR_INVALID_PTX, code
    assert b"mull" in log, log


def traps(module):
    stop = ok(cuda.cuModuleGetFunction(module, b"stop"))
    ok(cuda.cuLaunchKernel(stop, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    failed = cuda.CUresult
    (code,) = cuda.cuCtxSynchronize()
    assert code in (failed.CUDA_ERROR_LAUNCH_FAILED, failed.CUDA_ERROR_ILLEGAL_INSTRUCTION), code
    assert ok(cuda.cuGetErrorName(code)) == code.name.encode()
    # It sticks.
    assert cuda.cuMemAlloc(16)[0] == code
    assert cuda.cuCtxSynchronize()[0] == code


def main():
    ok(cuda.cuInit(0))
    device = ok(cuda.cuDeviceGet(0))
    print("device:", ok(cuda.cuDeviceGetName(64, device)).split(b"\0")[0].decode())
    context = ok(cuda.cuDevicePrimaryCtxRetain(device))
    ok(cuda.cuCtxSetCurrent(context))
    module = ok(cuda.cuModuleLoadData(PTX))
    scales_a_buffer(module)
    paints_a_surface(module)
    samples_a_texture(module)
    reads_the_log()
    traps(module)
    print("done")


if __name__ == "__main__":
    sys.exit(main())
