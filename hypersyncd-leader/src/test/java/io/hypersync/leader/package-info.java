/** Tests of the leader agent, and fakes shared by its packages. */
@NullMarked
package io.hypersync.leader;

import org.jspecify.annotations.NullMarked;
