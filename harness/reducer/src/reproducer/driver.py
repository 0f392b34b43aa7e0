# The driver: it sets everything up, runs the kernel once, and compares what it leaves.

GUARD_BYTE = 0xA5


def ok(answer, what):
    """The values of a call; one that does not work ends the program with 2."""
    code, *values = answer
    if code != cuda.CUresult.CUDA_SUCCESS:
        print(f"{what} failed: {code}", file=sys.stderr)
        sys.exit(2)
    return values[0] if len(values) == 1 else values


def room(contents):
    """Memory of the host that holds these bytes."""
    return ctypes.create_string_buffer(bytes(contents), max(len(contents), 1))


def copy_image(image, array, memory, to_array):
    """Copies all texels of an image to its array, or from there."""
    copy = cuda.CUDA_MEMCPY3D()
    host, device = cuda.CUmemorytype.CU_MEMORYTYPE_HOST, cuda.CUmemorytype.CU_MEMORYTYPE_ARRAY
    copy.srcMemoryType, copy.dstMemoryType = (host, device) if to_array else (device, host)
    if to_array:
        copy.srcHost, copy.dstArray = ctypes.addressof(memory), array
    else:
        copy.srcArray, copy.dstHost = array, ctypes.addressof(memory)
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = image["row_bytes"]
    copy.srcHeight = copy.dstHeight = copy.Height = max(image["height"], 1)
    copy.Depth = max(image["depth"], 1)
    ok(cuda.cuMemcpy3D(copy), "cuMemcpy3D")


def make_image(image, module):
    """The array and the object of a surface or texture."""
    shape = cuda.CUDA_ARRAY3D_DESCRIPTOR()
    shape.Width, shape.Height, shape.Depth = image["width"], image["height"], image["depth"]
    shape.Format, shape.NumChannels = cuda.CUarray_format(image["format"]), image["channels"]
    shape.Flags = image["array_flags"]
    array = ok(cuda.cuArray3DCreate(shape), "cuArray3DCreate")
    copy_image(image, array, room(image["contents"]), True)
    resource = cuda.CUDA_RESOURCE_DESC()
    resource.resType = cuda.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = array
    name = image["bound_to"] and image["bound_to"].encode()
    if not image["is_texture"]:
        if name:
            reference = ok(cuda.cuModuleGetSurfRef(module, name), "cuModuleGetSurfRef")
            ok(cuda.cuSurfRefSetArray(reference, array, 0), "cuSurfRefSetArray")
        return array, int(ok(cuda.cuSurfObjectCreate(resource), "cuSurfObjectCreate"))
    address = [cuda.CUaddress_mode(mode) for mode in image["address"]]
    filtering = cuda.CUfilter_mode(image["filter"])
    border = [struct.unpack("<f", struct.pack("<I", bits))[0] for bits in image["border"]]
    if name:
        reference = ok(cuda.cuModuleGetTexRef(module, name), "cuModuleGetTexRef")
        ok(cuda.cuTexRefSetArray(reference, array, 1), "cuTexRefSetArray")
        for axis, mode in enumerate(address):
            ok(cuda.cuTexRefSetAddressMode(reference, axis, mode), "cuTexRefSetAddressMode")
        ok(cuda.cuTexRefSetFilterMode(reference, filtering), "cuTexRefSetFilterMode")
        ok(cuda.cuTexRefSetFlags(reference, image["texture_flags"]), "cuTexRefSetFlags")
    texture = cuda.CUDA_TEXTURE_DESC()
    texture.addressMode, texture.filterMode = address, filtering
    texture.flags, texture.borderColor = image["texture_flags"], border
    return array, int(ok(cuda.cuTexObjectCreate(resource, texture, None), "cuTexObjectCreate"))


def differing(region, left):
    """The places of the bytes that differ from what is expected there."""
    bytes_of = zip(left, region["expected"], region["defined"])
    return [at for at, (byte, expected, mask) in enumerate(bytes_of) if (byte ^ expected) & mask]


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "reproducer.ptx")
    with open(path, "rb") as file:
        program = file.read() + b"\0"
    ok(cuda.cuInit(0), "cuInit")
    device = ok(cuda.cuDeviceGet(0), "cuDeviceGet")
    context = ok(cuda.cuDevicePrimaryCtxRetain(device), "cuDevicePrimaryCtxRetain")
    ok(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    code, module = cuda.cuModuleLoadData(program)
    if code != cuda.CUresult.CUDA_SUCCESS:
        print(f"wrong: the driver refuses the program, which is legal: {code}")
        return 1
    kernel = ok(cuda.cuModuleGetFunction(module, KERNEL.encode()), "cuModuleGetFunction")

    bases = []
    for buffer in BUFFERS:
        guard = bytes([GUARD_BYTE]) * GUARD
        memory = room(guard + buffer["contents"] + guard)
        base = int(ok(cuda.cuMemAlloc(len(memory)), "cuMemAlloc"))
        ok(cuda.cuMemcpyHtoD(base, ctypes.addressof(memory), len(memory)), "cuMemcpyHtoD")
        bases.append(base)
    images = [make_image(image, module) for image in IMAGES]
    variable = lambda name: int(ok(cuda.cuModuleGetGlobal(module, name.encode()), "cuModuleGetGlobal")[0])
    for name, contents in WRITES:
        memory = room(contents)
        ok(cuda.cuMemcpyHtoD(variable(name), ctypes.addressof(memory), len(contents)), "cuMemcpyHtoD")

    values = []
    for kind, index, offset, contents in ARGUMENTS:
        if kind == "buffer":
            contents = struct.pack("<Q", bases[index] + GUARD + offset)
        elif kind == "image":
            contents = struct.pack("<Q", images[index][1])
        values.append(room(contents))
    parameters = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
    if SHARED > 48 * 1024:
        most = cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        ok(cuda.cuFuncSetAttribute(kernel, most, SHARED), "cuFuncSetAttribute")
    (ended,) = cuda.cuLaunchKernel(kernel, *GRID, *BLOCK, SHARED, 0, ctypes.addressof(parameters), 0)
    if ended == cuda.CUresult.CUDA_SUCCESS:
        (ended,) = cuda.cuCtxSynchronize()
    if ended != cuda.CUresult.CUDA_SUCCESS:
        print(f"{'as expected' if MAY_FAULT else 'wrong'}: the kernel ends with {ended.name} ({int(ended)})")
        return 0 if MAY_FAULT else 1
    if not OUTCOMES:
        print("wrong: the kernel completes, and has to end with an error")
        return 1

    def read(address, size):
        memory = room(bytes(size))
        ok(cuda.cuMemcpyDtoH(ctypes.addressof(memory), address, size), "cuMemcpyDtoH")
        return memory.raw[:size]

    def left_in(region):
        index, size = region["index"], len(region["expected"])
        if region["kind"] == "buffer":
            return read(bases[index] + GUARD, size)
        if region["kind"] == "guard":
            after = bases[index] + GUARD + len(BUFFERS[index]["contents"])
            return read(bases[index], GUARD) + read(after, GUARD)
        if region["kind"] == "surface":
            memory = room(bytes(size))
            copy_image(IMAGES[index], images[index][0], memory, False)
            return memory.raw[:size]
        return read(variable(region["name"]), size)

    left = [left_in(region) for region in OUTCOMES[0]]
    wrong = lambda outcome: sum(len(differing(region, found)) for region, found in zip(outcome, left))
    nearest = min(OUTCOMES, key=wrong)
    if wrong(nearest) == 0:
        print("as expected")
        return 0
    print(f"wrong: {wrong(nearest)} bytes differ from what the specification allows")
    for region, found in zip(nearest, left):
        for at in differing(region, found)[:16]:
            mask = region["defined"][at]
            expected, observed = region["expected"][at] & mask, found[at] & mask
            print(f"  {region['kind']} `{region['name']}`, byte {at}: expected {expected:02x}, observed {observed:02x}")
    return 1


sys.exit(main())
