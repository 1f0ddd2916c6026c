import { blueskySubject } from '../../platforms/conformance/bluesky.ts';
import { publishesThroughKills } from './posts.ts';

publishesThroughKills(blueskySubject);
