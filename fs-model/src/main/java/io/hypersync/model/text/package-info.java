/** Untrusted text and exceptions, made readable and safe for users. */
@NullMarked
package io.hypersync.model.text;

import org.jspecify.annotations.NullMarked;
