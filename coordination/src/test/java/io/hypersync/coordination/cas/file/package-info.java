/** Records as files. */
@NullMarked
package io.hypersync.coordination.cas.file;

import org.jspecify.annotations.NullMarked;
