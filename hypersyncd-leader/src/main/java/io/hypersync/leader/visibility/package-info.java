/**
 * {@code visibility = "everywhere"}: acknowledgements wait until every worker that holds a lease
 * has made the change visible (decision 054).
 */
@NullMarked
package io.hypersync.leader.visibility;

import org.jspecify.annotations.NullMarked;
