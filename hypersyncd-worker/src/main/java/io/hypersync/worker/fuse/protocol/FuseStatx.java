package io.hypersync.worker.fuse.protocol;

/**
 * The attributes of a node as statx(2) shows them.
 *
 * @param attr the attributes of stat(2); its {@code rdev} is split into major and minor for the
 *     kernel
 * @param mask which fields are valid: {@code STATX_*} bits
 * @param attributes {@code STATX_ATTR_*} bits that are set
 * @param attributesMask {@code STATX_ATTR_*} bits that are supported
 * @param btimeNs birth time, nanoseconds since the epoch
 */
public record FuseStatx(
    FuseAttr attr, int mask, long attributes, long attributesMask, long btimeNs) {}
