/** The filesystem state S_k and its pure state machine (hypersync.md 5). */
@NullMarked
package io.hypersync.model.state;

import org.jspecify.annotations.NullMarked;
