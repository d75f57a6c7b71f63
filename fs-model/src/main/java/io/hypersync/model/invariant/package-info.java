/**
 * Runtime checks of the invariants of hypersync.md 22.1, called where the checked decision is made.
 */
@NullMarked
package io.hypersync.model.invariant;

import org.jspecify.annotations.NullMarked;
