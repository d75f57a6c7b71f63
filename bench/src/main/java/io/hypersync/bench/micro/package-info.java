/** JMH suites of single components (hypersync.md 17.2), one class each. */
@NullMarked
package io.hypersync.bench.micro;

import org.jspecify.annotations.NullMarked;
