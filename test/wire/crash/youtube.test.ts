import { youtubeSubject } from '../../platforms/conformance/youtube.ts';
import { publishesThroughKills } from './posts.ts';

publishesThroughKills(youtubeSubject);
