/** Encodes and decodes messages: frames, protobuf bodies, chunk headers (hypersync.md 9.5). */
@NullMarked
package io.hypersync.wire.codec;

import org.jspecify.annotations.NullMarked;
