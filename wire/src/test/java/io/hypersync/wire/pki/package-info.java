@NullMarked
package io.hypersync.wire.pki;

import org.jspecify.annotations.NullMarked;
