/* SPDX-License-Identifier: Apache-2.0
 * Access to Python's objects: by macros in a build for one version of Python, by calls in a build
 * for all versions from 3.12 on (the stable ABI, which hides the layout of objects). */
#ifndef JM_BINDING_PYTHON_OBJECTS_H
#define JM_BINDING_PYTHON_OBJECTS_H

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace jm {

/* Memory of a bytes object. */
inline char *bytes_memory(PyObject *bytes) {
#ifdef Py_LIMITED_API
    return PyBytes_AsString(bytes);
#else
    return PyBytes_AS_STRING(bytes);
#endif
}

inline size_t bytes_length(PyObject *bytes) {
#ifdef Py_LIMITED_API
    return static_cast<size_t>(PyBytes_Size(bytes));
#else
    return static_cast<size_t>(PyBytes_GET_SIZE(bytes));
#endif
}

/* Length of a list or a tuple, the two types that PySequence_Fast returns. */
inline size_t fast_count(PyObject *sequence) {
#ifdef Py_LIMITED_API
    return static_cast<size_t>(PySequence_Size(sequence));
#else
    return static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence));
#endif
}

/* Borrowed item of a list or a tuple. */
inline PyObject *fast_item(PyObject *sequence, size_t i) {
    const auto place = static_cast<Py_ssize_t>(i);
#ifdef Py_LIMITED_API
    return PyList_Check(sequence) ? PyList_GetItem(sequence, place)
                                  : PyTuple_GetItem(sequence, place);
#else
    return PySequence_Fast_GET_ITEM(sequence, place);
#endif
}

inline PyObject *called_with(PyObject *function, PyObject *argument) {
    return PyObject_Vectorcall(function, &argument, 1, nullptr);
}

/* Name of the object's class for messages: "bytes", "ndarray". */
inline std::string class_name(nanobind::handle object) {
    return nanobind::cast<std::string>(object.type().attr("__name__"));
}

} // namespace jm

#endif
