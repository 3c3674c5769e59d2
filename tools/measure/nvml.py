"""The few calls of NVIDIA's management library that are needed, by ctypes. It needs no context on the GPU.

Devices are named as in CUDA_VISIBLE_DEVICES: by number in PCI order, or by UUID.
"""
import ctypes

SUCCESS = 0
SM_CLOCK, MEMORY_CLOCK, TEMPERATURE_OF_GPU = 1, 2, 0


class NvmlError(Exception):
    pass


class Nvml:
    """library: the open library, or a stand-in of tests."""

    def __init__(self, library=None):
        try:
            self.library = library or ctypes.CDLL("libnvidia-ml.so.1")
        except OSError as error:
            raise NvmlError(f"NVML is not there: {error}") from None
        self.call("nvmlInit_v2")

    def call(self, name, *arguments):
        function = getattr(self.library, name, None)
        if function is None:
            raise NvmlError(f"{name}: not in this NVML")
        code = function(*arguments)
        if code != SUCCESS:
            text = getattr(self.library, "nvmlErrorString", None)
            if text is not None:
                text.restype = ctypes.c_char_p
            raise NvmlError(f"{name}: {text(code).decode() if text else f'error {code}'}")

    def integer(self, name, *arguments, kind=ctypes.c_uint):
        value = kind()
        self.call(name, *arguments, ctypes.byref(value))
        return value.value

    def text(self, name, *arguments):
        value = ctypes.create_string_buffer(96)
        self.call(name, *arguments, value, ctypes.c_uint(len(value)))
        return value.value.decode()

    def count(self):
        return self.integer("nvmlDeviceGetCount_v2")

    def driver(self):
        return self.text("nvmlSystemGetDriverVersion")

    def device(self, name):
        handle = ctypes.c_void_p()
        if name.isdigit():
            self.call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(int(name)), ctypes.byref(handle))
        else:
            self.call("nvmlDeviceGetHandleByUUID", name.encode(), ctypes.byref(handle))
        return handle

    def name(self, device):
        return self.text("nvmlDeviceGetName", device)

    def energy_mj(self, device):
        """Since the driver was loaded."""
        return self.integer("nvmlDeviceGetTotalEnergyConsumption", device, kind=ctypes.c_ulonglong)

    def limit_w(self, device):
        return self.integer("nvmlDeviceGetEnforcedPowerLimit", device) / 1000

    def default_limit_w(self, device):
        return self.integer("nvmlDeviceGetPowerManagementDefaultLimit", device) / 1000

    def set_limit_w(self, device, watts):
        self.call("nvmlDeviceSetPowerManagementLimit", device, ctypes.c_uint(round(1000 * watts)))

    def state(self, device):
        """Clocks and temperature; None for what this GPU does not tell."""
        def maybe(name, argument):
            try:
                return self.integer(name, device, ctypes.c_int(argument))
            except NvmlError:
                return None
        return {"sm_mhz": maybe("nvmlDeviceGetClockInfo", SM_CLOCK),
                "memory_mhz": maybe("nvmlDeviceGetClockInfo", MEMORY_CLOCK),
                "temperature_c": maybe("nvmlDeviceGetTemperature", TEMPERATURE_OF_GPU)}
