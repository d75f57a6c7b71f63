/** Tests of what is known of certificates. */
@NullMarked
package io.hypersync.leader.certificates;

import org.jspecify.annotations.NullMarked;
