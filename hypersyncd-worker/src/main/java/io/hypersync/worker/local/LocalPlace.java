package io.hypersync.worker.local;

import io.hypersync.model.id.Name;

/** A name in a directory. */
public record LocalPlace(LocalParent parent, Name name) {}
