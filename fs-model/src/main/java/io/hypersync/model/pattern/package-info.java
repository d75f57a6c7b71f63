/** Patterns of paths with the rules of gitignore. */
@NullMarked
package io.hypersync.model.pattern;

import org.jspecify.annotations.NullMarked;
