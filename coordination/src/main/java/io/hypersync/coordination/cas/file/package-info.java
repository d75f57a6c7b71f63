/** Records of one host: a directory with a file for each key. */
@NullMarked
package io.hypersync.coordination.cas.file;

import org.jspecify.annotations.NullMarked;
