/** Which certificates of the workspace are known, and which ones are not accepted any more. */
@NullMarked
package io.hypersync.leader.certificates;

import org.jspecify.annotations.NullMarked;
