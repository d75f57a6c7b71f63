/** The rules of docs/ARCHITECTURE.md, enforced in the build. */
@NullMarked
package io.hypersync.rules;

import org.jspecify.annotations.NullMarked;
