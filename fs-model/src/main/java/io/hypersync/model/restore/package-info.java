/** Plans how a subtree of a workspace becomes what it was in an earlier state. */
@NullMarked
package io.hypersync.model.restore;

import org.jspecify.annotations.NullMarked;
