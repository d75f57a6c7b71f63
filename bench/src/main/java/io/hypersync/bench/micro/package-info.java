/** JMH suites of what the product is made of (hypersync.md 17.2), one class each. */
@NullMarked
package io.hypersync.bench.micro;

import org.jspecify.annotations.NullMarked;
