"""The material of a judge's prompt in its sections.

Their names are the same in every language, so that a prompt can be taken apart without knowing which it is in.
"""

SECTIONS = """
{?system}<<system {mark}>>
{system}
<</system {mark}>>

{/system}\
<<question {mark}>>
{question}
<</question {mark}>>

{?reference}<<reference {mark}>>
{reference}
<</reference {mark}>>

{/reference}\
{?rubric}<<rubric {mark}>>
{rubric}
<</rubric {mark}>>

{/rubric}\
<<answer_1 {mark}>>
{answer_1}
<</answer_1 {mark}>>

<<answer_2 {mark}>>
{answer_2}
<</answer_2 {mark}>>
"""
