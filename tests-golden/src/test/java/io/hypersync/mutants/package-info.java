/** Mutation testing: small bugs in the production code, each of which the tests must detect. */
@NullMarked
package io.hypersync.mutants;

import org.jspecify.annotations.NullMarked;
