@NullMarked
package io.hypersync.leader.notice;

import org.jspecify.annotations.NullMarked;
