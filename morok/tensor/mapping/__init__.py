"""Functions of one example made functions of many: what runs within sees (`levels`), each op's rule (`rules`), the graph over again (`batching`), `vmap`."""
