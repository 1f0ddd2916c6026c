import { twitterSubject } from '../../../platforms/conformance/subjects/twitter.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(twitterSubject);
