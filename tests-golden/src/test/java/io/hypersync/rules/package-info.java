/** The rules of docs/ARCHITECTURE.md, held by the build. */
@NullMarked
package io.hypersync.rules;

import org.jspecify.annotations.NullMarked;
