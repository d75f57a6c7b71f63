/** Programs that write and keep what they were told, for a test to check afterwards. */
@NullMarked
package io.hypersync.e2e.load;

import org.jspecify.annotations.NullMarked;
