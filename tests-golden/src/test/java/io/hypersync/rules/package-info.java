/** The rules of design 3, held by the build. */
@NullMarked
package io.hypersync.rules;

import org.jspecify.annotations.NullMarked;
