/** JSON trees of daemons as text for people. */
@NullMarked
package io.hypersync.cli.render;

import org.jspecify.annotations.NullMarked;
