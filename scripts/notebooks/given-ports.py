"""Configuration of Jupyter: kernels listen on the ports that the command line gives, where Jupyter would choose others."""

from jupyter_client import AsyncKernelManager


class GivenPorts(AsyncKernelManager):
    cache_ports = False


c.ExecutePreprocessor.kernel_manager_class = GivenPorts
